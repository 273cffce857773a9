"""``eve-replay worlds``: what can be read here, and what each kind can do."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

import click

from eve_replay.cli.shared.common import Shell, command, echo, echo_table, emit_json
from eve_replay.problems import Receipt
from eve_replay.views.kit.table import Cell, Column, Table
from eve_replay.views.kit.text import line, paragraph
from eve_replay.worlds.layouts.draft import describe
from eve_replay.worlds.layouts.library import layouts
from eve_replay.worlds.probe import probe

__all__ = ["cli"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    kind: str
    reads: str
    can: tuple[str, ...] = ("streams",)
    extra: str = ""
    needs: tuple[str, ...] = ()


_KINDS = (
    _Kind(
        kind="local",
        reads="project and data folders, .zip and .tar.gz of them",
        can=("streams", "marks", "watch"),
    ),
    _Kind(kind="sample", reads="sample:NAME, the bundled recordings", can=("streams", "marks")),
    _Kind(kind="bundle", reads="*.everun, written by `eve-replay pack`", can=("streams", "marks")),
    _Kind(kind="export", reads="JSON of `workflow inspect` or of our own dump", can=("streams",)),
    _Kind(
        kind="pgdump",
        reads="dump.sql of a Postgres world",
        extra="postgres",
        needs=("cbor2",),
        can=("streams",),
    ),
    _Kind(
        kind="postgres",
        reads="postgres://HOST/DATABASE",
        can=("streams", "watch"),
        extra="postgres",
        needs=("psycopg", "cbor2"),
    ),
    _Kind(kind="flue", reads="flue.db of Flue, with or without its -wal", can=()),
    _Kind(kind="sqlite", reads="SQLite files: Turso, libSQL, any layout", extra="sqlite", needs=("cbor2",)),
    _Kind(kind="cloudflare", reads="folders of Durable Objects of the local simulator", can=()),
    _Kind(kind="sqldump", reads="dumps of MySQL, MariaDB and SQLite", extra="sqlite", needs=("cbor2",)),
    _Kind(
        kind="mysql",
        reads="mysql://HOST/DATABASE, MariaDB too",
        extra="mysql",
        needs=("pymysql", "cbor2"),
    ),
    _Kind(kind="mongo", reads="mongoexport and mongodump files; mongodb://HOST", extra="mongo"),
    _Kind(kind="libsql", reads="libsql://HOST, a Turso or libSQL server", extra="sqlite", needs=("cbor2",)),
    _Kind(
        kind="dynamodb",
        reads="dynamodb://TABLE; a printed scan, an export to S3",
        extra="dynamodb",
        needs=("boto3", "cbor2"),
    ),
    _Kind(
        kind="firestore",
        reads="firestore://PROJECT/(default)",
        extra="firestore",
        needs=("google.cloud.firestore",),
    ),
    _Kind(
        kind="surrealdb",
        reads="surrealdb://HOST/NAMESPACE/DATABASE",
        extra="surrealdb",
        needs=("surrealdb",),
    ),
    _Kind(kind="nats", reads="nats://HOST, JetStream", extra="nats", needs=("nats",)),
    _Kind(kind="redis", reads="redis://HOST, keys.json, dump.rdb", extra="redis", needs=("redis", "cbor2")),
    _Kind(kind="hosted", reads="vercel://TEAM/PROJECT, https://SERVER", extra="hosted", needs=("cbor2",)),
    _Kind(
        kind="remote",
        reads="s3://, gs://, ssh://, zip:// ... with a data folder",
        can=("streams", "marks"),
        extra="remote",
        needs=("fsspec",),
    ),
)


@command("worlds")
@click.option("--load", is_flag=True, help="Import third-party worlds too, to see whether they load.")
@click.option("--probe", "probed", metavar="SOURCE", help="Say what SOURCE is and how it is read.")
@click.option("--describe", "described", metavar="SOURCE", help="Write a layout of SOURCE, or a first draft.")
@click.option("--layouts", "list_layouts", is_flag=True, help="List the layouts of stores that are known.")
def cli(shell: Shell, load: bool, probed: str | None, described: str | None, list_layouts: bool) -> None:
    """List the kinds of sources, what each can do, and what must be installed for it.

    Worlds of other packages (entry points in the group eve_replay.worlds) are named without importing them,
    unless --load asks for it. --probe tells what a store is by what it holds, not by its name.
    """
    if probed:
        _probe(shell, probed)
        return
    if described:
        text = describe(described, keys=shell.keys)
        if shell.json:
            emit_json(shell, "worlds", described, Receipt(), layout=text)
        else:
            echo(shell, [line(each) for each in text.splitlines()])
        return
    if list_layouts:
        _layouts(shell)
        return
    rows = [_document(kind) for kind in _KINDS] + _third_parties(load=load)
    if shell.json:
        emit_json(shell, "worlds", "", Receipt(), worlds=rows)
        return
    body: list[list[Cell | str]] = [
        [
            str(row["kind"]),
            str(row["reads"]),
            ", ".join(str(each) for each in can) if isinstance(can := row["can"], list) else "",
            Cell("yes", "ok") if row["installed"] else Cell(str(row["install"]), "warning"),
        ]
        for row in rows
    ]
    columns = [
        Column(title="kind"),
        Column(title="reads", shrink=1, minimum=20),
        Column(title="can"),
        Column(title="installed", shrink=2, minimum=10),
    ]
    echo_table(shell, Table(columns=columns, rows=body, empty="No kind of source is known."))
    echo(shell, [line(("Several sources are read as one: eve-replay runs 'A + B'.", "muted"))])


def _probe(shell: Shell, source: str) -> None:
    """Say what a source is; exit code 3 when it cannot be opened as it is."""
    found = probe(source, keys=shell.keys)
    if shell.json:
        emit_json(
            shell,
            "worlds",
            source,
            Receipt(),
            kind=found.kind,
            layout=found.layout,
            storeVersion=found.version or None,  # the head's own version is that of the document
            runs=found.runs,
            readable=found.readable,
            missing=found.missing,
            sentence=found.sentence,
            hint=found.hint,
            status=found.status,
        )
    else:
        echo(shell, paragraph(found.sentence, width=shell.width, tone="ok" if found.readable else "warning"))
        if found.hint:
            echo(shell, paragraph(found.hint, width=shell.width, tone="muted"))
    shell.exit_code = 0 if found.readable else 3


def _layouts(shell: Shell) -> None:
    known = layouts()
    if shell.json:
        rows = [
            {
                "name": each.name,
                "title": each.title,
                "reader": each.reader,
                "package": each.package,
                "status": each.status,
                "recorded": list(each.recorded),
                "note": each.note,
            }
            for each in known
        ]
        emit_json(shell, "worlds", "", Receipt(), layouts=rows)
        return
    body: list[list[Cell | str]] = [
        [each.name, each.title, each.reader, Cell(each.status, "ok" if each.recorded else "warning")]
        for each in known
    ]
    columns = [
        Column(title="layout"),
        Column(title="store", shrink=1, minimum=20),
        Column(title="read as"),
        Column(title="checked"),
    ]
    echo_table(shell, Table(columns=columns, rows=body, empty="No layout is known."))


def _installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False  # the package that should hold it is not there


def _document(kind: _Kind) -> dict[str, object]:
    there = all(map(_installed, kind.needs))
    return {
        "kind": kind.kind,
        "reads": kind.reads,
        "can": list(kind.can),
        "installed": there,
        "install": f"pip install 'eve-replay[{kind.extra}]'" if kind.extra else "",
        "by": "eve-replay",
    }


def _third_parties(*, load: bool) -> list[dict[str, object]]:
    from importlib.metadata import entry_points

    from eve_replay.worlds.registry import ENTRY_POINT_GROUP

    rows: list[dict[str, object]] = []
    for point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda each: each.name):
        by = point.dist.name if point.dist is not None else point.value
        row: dict[str, object] = {
            "kind": point.name,
            "reads": f"a world of {by}",
            "can": [],
            "installed": True,
            "install": "",
            "by": by,
        }
        if load:
            try:
                opener = point.load()
                row["reads"] = str(getattr(opener, "reads", row["reads"]))
                row["can"] = [str(each) for each in getattr(opener, "can", ())]
            except Exception as error:
                row |= {"installed": False, "install": f"does not load: {error}"}
        rows.append(row)
    return rows
