"""``python -m eve_replay`` is ``eve-replay``."""

from eve_replay.cli import main

main()
