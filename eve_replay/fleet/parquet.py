"""The audit's rows as a Parquet table; pyarrow is the extra ``fleet``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from eve_replay.errors import WrongUse
from eve_replay.fleet.audit import AuditRow, tables

__all__ = ["write_parquet"]


def write_parquet(rows: Iterable[AuditRow], path: Path) -> None:
    """Write the rows to a file, aside first and renamed when it is whole.

    Raises:
        WrongUse: pyarrow is not installed, or the file cannot be written.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise WrongUse("Parquet needs pyarrow.", hint='pip install "eve-replay[fleet]"') from None
    numbers = {"twice", "possible", "events", "runs"}
    types = {"reasons": pa.list_(pa.string()), "urgent": pa.bool_()}
    types |= dict.fromkeys(numbers, pa.int64())
    data = tables(rows)
    schema = pa.schema([(name, types.get(name, pa.string())) for name in data])
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        pq.write_table(pa.table(data, schema=schema), aside)
        aside.replace(path)
    except OSError as error:
        raise WrongUse(f"{path} cannot be written: {error.strerror or error}.") from None
    finally:
        aside.unlink(missing_ok=True)
