"""The board of a class: predictions as they arrive, answers handed in, neighbours who break each other's."""

from eve_replay.workshop.board.room import Room
from eve_replay.workshop.board.server import serve

__all__ = ["Room", "serve"]
