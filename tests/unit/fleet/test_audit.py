"""The audit of many stores: here, in processes and on a cluster the same rows."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from eve_replay.errors import WrongUse
from eve_replay.fleet.audit import COLUMNS, audit, audit_part
from tests.support import corpus
from tests.unit.cli._run import call

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
NAMES = ("crash-in-tool", "simple-turn", "stranded", "crash-waiting-for-lease", "retention-0")


@pytest.fixture(scope="module")
def sources():
    return [str(corpus.data(name)) for name in NAMES]


@pytest.fixture(scope="module")
def found(sources):
    return audit([*sources, "no-such-folder"], now=NOW, eve="0.81.0")


def test_the_reasons_are_those_that_the_recordings_have(found, sources) -> None:
    reasons = {row.source.split("/")[-2]: set(row.reasons) for row in found.rows}
    assert "repeats" in reasons["crash-in-tool"] and "stranded" in reasons["stranded"]
    assert "repeats" not in reasons["simple-turn"]
    plain = {row.source: row for row in audit(sources, now=NOW).rows}
    assert plain[sources[1]].reasons == ()
    assert found.rows[0].reasons and found.rows[0].severity == "error"
    assert [source for source, _ in found.unread] == ["no-such-folder"]


def test_a_local_cluster_says_the_same(found, sources) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert (
            audit([*sources, "no-such-folder"], now=NOW, eve="0.81.0", engine="dask", client=client) == found
        )


def test_portions_come_to_the_whole(found, sources) -> None:
    rows = [row for source in sources for row in audit_part(source, NOW, (None, "0.81.0"))[0]]
    assert sorted(rows, key=lambda row: row.session) == sorted(found.rows, key=lambda row: row.session)
    assert audit_part("no-such-folder", NOW)[0] == []


def test_parquet_holds_every_row(found, sources, tmp_path, capsys) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "audit.parquet"
    result = call(
        capsys, "audit", *sources, "--eve", "0.81.0", "--now", "2026-11-30T12:00:00Z",
        "--parquet", str(file), "--json",
    )  # fmt: skip
    document = json.loads(result.out)
    table = parquet.read_table(file)
    assert tuple(table.schema.names) == COLUMNS and table.num_rows == len(found.rows)
    assert table.column("session").to_pylist() == [row["sessionId"] for row in document["sessions"]]
    assert table.column("reasons").to_pylist() == [list(row.reasons) for row in found.rows]
    assert list(tmp_path.iterdir()) == [file]


def test_an_engine_that_is_not_there_is_said(sources) -> None:
    with pytest.raises(WrongUse):
        audit(sources, now=NOW, engine="ray")
    with pytest.raises(WrongUse):
        audit(sources, now=NOW, engine="dask")
