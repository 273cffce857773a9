"""Notebooks made for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from eve_replay.workshop.grading.notebook_file import VERDICT_MIME


def code(source: str, *tags: str, verdict: Any = None) -> dict[str, Any]:
    outputs = []
    if verdict is not None:
        outputs = [{"output_type": "display_data", "data": {VERDICT_MIME: verdict}, "metadata": {}}]
    return {
        "cell_type": "code",
        "metadata": {"tags": list(tags)},
        "source": source.splitlines(keepends=True),
        "outputs": outputs,
    }


def text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def book(path: Path, *cells: dict[str, Any], lesson: str | None = "01", language: str = "en") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata = {} if lesson is None else {"eve_replay": {"lesson": lesson, "language": language}}
    document = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": list(cells)}
    path.write_text(json.dumps(document), "utf-8")
    return path


def answered(path: Path, source: str, *, lesson: str | None = "01", **more: Any) -> Path:
    return book(path, text("# A lesson"), code(source, "answer"), lesson=lesson, **more)
