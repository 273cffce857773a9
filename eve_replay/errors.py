"""The errors a caller can catch. One base class; each message is one line that says what to do."""

from __future__ import annotations

__all__ = [
    "DecodeError",
    "EveReplayError",
    "NotFound",
    "SourceUnreadable",
    "UnknownSource",
    "WrongUse",
]


class EveReplayError(Exception):
    """Base of everything this package raises on purpose.

    Attributes:
        hint: what the user can do next, one sentence, may be empty.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook prints: the person's own line and the sentence, none of our frames."""
        from traceback import extract_tb

        ours = f"{__file__.removesuffix('errors.py')}"
        frames = [each for each in extract_tb(self.__traceback__) if not each.filename.startswith(ours)]
        # IPython's own frames come first, the person's after them.
        where = [f"{each.line}  (line {each.lineno})" for each in frames[-1:] if each.line]
        said = [f"{type(self).__name__}: {self.message}", *([self.hint] if self.hint else []), *where]
        return ["".join(c if c.isprintable() else "\ufffd" for c in line) for line in said]


class WrongUse(EveReplayError):
    """An argument makes no sense (exit code 2)."""

    exit_code = 2


class UnknownSource(EveReplayError):
    """Nothing here is a world we know (exit code 3); the hint says what was looked for."""

    exit_code = 3


class SourceUnreadable(EveReplayError):
    """The source is a world, but it cannot be read at all: permissions, a dead server (exit code 3)."""

    exit_code = 3


class NotFound(EveReplayError):
    """The world has no run, step, turn or event of that id (exit code 2)."""

    exit_code = 2


class DecodeError(EveReplayError):
    """Strict mode met a payload that does not decode.

    Attributes:
        reason: machine word, the same as ``Undecoded.reason``.
        path: JSON path inside the payload, ``$`` for the whole.
        offset: byte offset in the layer that failed, or None.
    """

    def __init__(self, message: str, *, reason: str, path: str = "$", offset: int | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.path = path
        self.offset = offset
