"""Tests of eve-replay. A package, so that ``tests.support`` is importable everywhere."""
