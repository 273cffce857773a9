"""What this machine shows of the processes on it, looked at read only and only when somebody asks."""

from __future__ import annotations

from eve_replay.machine.here import Sighting, Worker, look

__all__ = ["Sighting", "Worker", "look"]
