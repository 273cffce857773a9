"""The house rules that can be read off the source: each is one test over all modules, naming every breach."""

import ast
import os
import subprocess
import sys

from tests.conftest import SLOW
from tests.repo.source import ROOT, calls, dotted, modules, public_functions, rings

CLI = "eve_replay/cli/"


def test_nothing_imports_a_later_layer():
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as c; c()",
        "--no-cache",
    ]
    env = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tui'}"}
    result = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def breaches(found):
    """One line per breach, for a message that can be acted on."""
    return "\n".join(f"{module.name}:{line}: {what}" for module, line, what in found)


# -- who may talk to the outside ---------------------------------------

#: The grader runs strangers' code: it puts an environment back that an answer has changed, and ends the child
#: process that ran the answer without waiting for what it left behind. Google's client learns of an emulator
#: from the environment alone: it is set while the client is made, and put back. So does a kernel of
#: its Jupyter server.
OUTSIDE = {
    "eve_replay/workshop/grading/interpreter_state.py": {"os.environ"},
    "eve_replay/workshop/grading/remote.py": {"os._exit"},
    "eve_replay/notebook/server.py": {"os.environ"},
    "eve_replay/tools/pack_recordings.py": {"sys.argv"},
    "eve_replay/worlds/services/firestore.py": {"os.environ"},
}
TALK = {"os.environ", "os.getenv", "sys.exit", "sys.argv", "os._exit"}


def test_only_the_command_line_prints_exits_and_reads_the_environment():
    found = []
    for module in modules():
        if module.named(CLI):
            continue
        found += [
            (module, line, name) for line, name, _ in calls(module.tree) if name in ("print", "exit", "input")
        ]
        found += [
            (module, node.lineno, dotted(node))
            for node in ast.walk(module.tree)
            if isinstance(node, ast.Attribute) and dotted(node) in TALK - OUTSIDE.get(module.name, set())
        ]
    assert not found, breaches(found)


# -- no raw text to a screen ---------------------------------------

#: Where text leaves for a screen; everything else hands over spans, rows or tables, which these make safe.
DOORS = {
    "eve_replay/cli/shared/common.py": "every line and table, through safe_text; JSON, in ASCII",
    "eve_replay/cli/shared/errors.py": "messages, through safe_text",
    "eve_replay/cli/shared/progress.py": "two counts and a noun of ours",
    "eve_replay/cli/understanding/diff.py": "a JSON patch, in ASCII",
    "eve_replay/cli/reading/dump.py": "JSON, in ASCII",
    "eve_replay/cli/sources/watch.py": "JSON, in ASCII",
    "eve_replay/cli/sources/trace.py": "JSON, in ASCII",
    "eve_replay/cli/understanding/frames.py": "bytes of a stream as they are, because --raw asks for them",
    "eve_replay/cli/workshop/summary.py": "two counts",
    "eve_replay/tools/site_pages.py": "the small server that is written into the site: a port",
    "tui/eve_replay_tui/paint.py": "every cell of the terminal UI, from spans that are safe",
    "tui/eve_replay_tui/themes.py": "the same cells in other colours",
}
SCREEN = {
    "click.echo",
    "click.secho",
    "print",
    "sys.stdout.write",
    "sys.stderr.write",
    "sys.stdout.buffer.write",
}


def test_text_reaches_a_screen_through_few_doors():
    found = [
        (module, line, name)
        for module in modules()
        for line, name, _ in calls(module.tree)
        if (name in SCREEN or name in ("Segment", "Content.from_markup", "Text.from_markup"))
        and module.name not in DOORS
    ]
    assert not found, breaches(found)


def test_the_doors_make_text_safe():
    texts = {module.name: module.text for module in modules()}
    for name in ("eve_replay/cli/shared/common.py", "eve_replay/cli/shared/errors.py"):
        assert "safe_text(" in texts[name], name
    for name, text in texts.items():
        assert "markup=True" not in text, (
            name
        )  # textual's own language: brackets of a journal would be read as tags
        if "_repr_html_" in text or "</" in text:
            safe = any(word in text for word in ("escape(", "table_html(", "lines_html("))
            assert safe or "html" not in text.lower() or name in HTML, name


#: HTML without a word of a journal in it.
HTML = {
    "eve_replay/proof/evil.py": "words that must never be obeyed; the self-test looks for them",
    "eve_replay/workshop/board/page.py": "data in a script whose < is escaped; the frame of the page",
    "eve_replay/notebook/saved.py": "scripts, and data that is packed as base64",
    "eve_replay/notebook/widgets.py": "the frame of a saved page",
    "eve_replay/tools/site_pages.py": "the first page of the site, from the lessons' titles",
}


# -- time and chance ---------------------------------------

CLOCKS = {
    "datetime.now",
    "datetime.utcnow",
    "datetime.today",
    "date.today",
    "time.time",
    "time.time_ns",
    "time.monotonic",
    "time.monotonic_ns",
    "time.perf_counter",
    "time.localtime",
    "monotonic",
    "perf_counter",
}
CHANCE = ("secrets.", "uuid.", "random.", "os.urandom", "token_bytes", "token_hex", "uuid4")
#: Where "now" comes from, and the few that measure how long something takes, which no answer depends on.
TIME_AND_CHANCE = {
    CLI: "the command line is where now and salts come from",
    "eve_replay/crashtest/": "it runs real processes: how long they take, and which points are drawn",
    "eve_replay/notebook/clock.py": "the notebook's now, unless it is given",
    "eve_replay/notebook/postmortem.py": "the salt of a redacted post-mortem",
    "tui/eve_replay_tui/options.py": "the terminal UI's now, unless it is given",
    "eve_replay/workshop/own_journal.py": "a learner calls it from a cell: a front door, with now=",
    "eve_replay/workshop/grading/remote.py": "how long an answer may take; file names nobody can guess",
    "eve_replay/worlds/local/kin.py": "how old a folder's time is: whether it can be trusted",
    "eve_replay/worlds/local/layout.py": "how old a folder's time is: whether it can be trusted",
    "eve_replay/worlds/local/stamps.py": "how old a file's time is: whether it can be trusted",
    "eve_replay/worlds/postgres/connection.py": "how long a link has been idle",
}


def test_no_clock_and_no_chance_below_the_front_ends():
    found = []
    for module in modules():
        if module.named(*TIME_AND_CHANCE):
            continue
        for line, name, call in calls(module.tree):
            given = name in ("random.Random", "Random", "uuid.UUID") and (call.args or call.keywords)
            if (
                name in CLOCKS
                or (name.startswith(CHANCE) and not given)
                or (name == "Random" and not call.args)
            ):
                found.append((module, line, name))
    assert not found, breaches(found)


# -- depth ---------------------------------------

#: Functions that reach themselves, and what ends it. Data of a journal nests as deep as somebody likes: a
#: function that follows it needs a bound of its own, or no recursion.
BELOW = "one level per agent that starts another one, each level a session of its own"
RECURSIVE = {
    "eve_replay/crashtest/model.py": {"Point.from_json": "once, for the second death"},
    "eve_replay/views/kit/speech.py": dict.fromkeys(("_part", "_said", "_whole"), "bound _DEEPEST"),
    "eve_replay/cli/shared/common.py": {"_is_source": "once, for the parts of `a + b`"},
    "eve_replay/cli/mcp/fit.py": {
        "_folded": "bound _SCALES; the levels of a scale",
        "_masked": "bound _DEEPEST",
    },
    "eve_replay/diff/tokens.py": {
        "Tokens._shallow": "bound _SHALLOW; deeper values take the way with a stack"
    },
    "eve_replay/guidance/keys.py": {"_fields": "bound _DEEPEST"},
    "eve_replay/journal/effects/open_calls.py": {"_below": BELOW},
    "eve_replay/journal/effects/idempotency_keys.py": {"_fields": "bound _DEPTH"},
    "eve_replay/journal/facade.py": {"Journal._session": BELOW},
    "eve_replay/recovery/fate.py": {"_descend": BELOW, "_note": BELOW},
    "eve_replay/recovery/runtimes/eve/flow.py": {"flow_of": BELOW},
    "eve_replay/journal/state.py": {
        "_differences": "bound _DEEPEST",
        "_share": "bound _DEEPEST",
        "apply_delta": "bound _DEEPEST",
    },
    "eve_replay/proof/board.py": {"_recordings": "folders, three levels"},
    "eve_replay/views/search/where.py": dict.fromkeys(
        ("_Reader.any_of", "_Reader.all_of", "_Reader.one"), "bound _DEEPEST"
    ),
    "eve_replay/redaction/redact.py": {
        "Redactor._field": "once, for eventData",
        "Redactor.plain": "bound _DEEPEST",
    },
    "eve_replay/redaction/text.py": dict.fromkeys(
        (
            "TextRedactor._strings",
            "TextRedactor._base64",
            "TextRedactor._text",
            "TextRedactor._nested",
            "TextRedactor._in_base64",
            "TextRedactor.text",
            "TextRedactor.json",
        ),
        "JSON or base64 inside a text: bound _MOST_NESTED",
    ),
    "eve_replay/samples/__init__.py": {"_write": "folders of our own archives"},
    "eve_replay/values/paths.py": {"join_path": "a segment of segments: two levels"},
    "eve_replay/values/preview.py": {"type_name": "what is in a box is a primitive"},
    "eve_replay/values/untag.py": {"_leaf": "what is in a box is a primitive"},
    "eve_replay/views/kit/base.py": {"plain_json": "view-models are shallow: payloads are text in them"},
    "eve_replay/views/kit/words.py": {"duration": "once, for a negative one"},
    "eve_replay/views/session/tree.py": {"_flatten": "session, turn, step, attempt, call"},
    "eve_replay/workshop/engine/process.py": {"_names_of": "code as deep as its source is indented"},
    "eve_replay/workshop/engine/rows.py": {"jsonable": "a learner's value; too deep is told as their error"},
    "eve_replay/workshop/engine/session.py": {
        "jsonable_result": "a learner's value; too deep is told as their error"
    },
    "eve_replay/workshop/explain/diagnosis.py": {"result_words": "plain data that jsonable made"},
    "eve_replay/workshop/grading/answers.py": {
        "_stable": "bound _TOO_DEEP",
        "fingerprint": "bound _TOO_DEEP",
        "_functions": "code and closures, seen once",
        "_nested": "code as deep as its source is indented",
    },
    "eve_replay/workshop/grading/classroom.py": {"_folders": "folders, a few levels"},
    "eve_replay/workshop/outside/answers.py": {"plain": "bound _DEPTH"},
    "eve_replay/workshop/tasks/lesson_03.py": {"_short": "values of our own lesson"},
    "eve_replay/workshop/views/scenery.py": {"safe_data": "data of a stage, made by us"},
    "eve_replay/worlds/bundle/format.py": dict.fromkeys(
        ("_fields_in", "_fields_out", "_value_in", "_value_out"), "bound _DEEPEST"
    ),
    "eve_replay/worlds/dump.py": {"_plain": "bound _DEEPEST"},
    "eve_replay/worlds/layouts/forms.py": {"revive_bytes": "bound _DEEPEST"},
    "eve_replay/worlds/layouts/parse.py": {"_rules": "lists of a layout that a person wrote"},
    "eve_replay/worlds/layouts/v8.py": {
        f"_Reader.{name}": "bound _DEEPEST"
        for name in ("item", "error", "value", "array", "set", "plain", "properties", "map")
    },
    "eve_replay/worlds/export/entities.py": {"entity_value": "bound _DEEPEST"},
    "eve_replay/worlds/services/dynamodb.py": {"_plain": "bound _DEEPEST"},
    "eve_replay/worlds/local/find.py": {"data_folders": "folders, three levels"},
    "eve_replay/worlds/local/log.py": {"_gap": "once: the inner call has nothing reserved"},
    "eve_replay/worlds/mongo/bson.py": {
        "_Reader.document": "bound _DEEPEST",
        "_Reader.value": "bound _DEEPEST",
    },
    "eve_replay/worlds/mongo/json.py": {"from_extended": "bound _DEEPEST"},
    "eve_replay/worlds/registry.py": {
        "open_world": "once, for the parts of `a + b`",
        "_open_one": "once, for the parts of `a + b`",
    },
    "eve_replay/worlds/remote.py": {
        "FsspecTree._list": "folders of a path",
        "FsspecTree.stat": "folders of a path",
    },
    "eve_replay/worlds/sources.py": {"public_source": "once, for the parts of `a + b`"},
}


def test_no_recursion_over_data():
    found = {module.name: rings(module) for module in modules() if rings(module)}
    new = {name: sorted(ours - RECURSIVE.get(name, {}).keys()) for name, ours in found.items()}
    assert not {name: ours for name, ours in new.items() if ours}, (
        "say in RECURSIVE what ends it, or use a stack"
    )
    gone = {name: sorted(ours.keys() - found.get(name, set())) for name, ours in RECURSIVE.items()}
    assert not {name: ours for name, ours in gone.items() if ours}, "these do not call themselves any more"


def test_a_bound_that_is_named_is_there():
    texts = {module.name: module.text for module in modules()}
    for name, reasons in RECURSIVE.items():
        for reason in reasons.values():
            bound = reason.partition("bound ")[2].split(";")[0]
            assert texts[name].count(bound) >= 2, (name, bound)


# -- how modules look ---------------------------------------


def test_json_is_read_in_the_codec_only():
    """One reader knows about lone surrogates, depth and -0."""
    allowed = {
        "eve_replay/values/paths.py",  # one quoted key of a path, not a document
        "eve_replay/proof/evil.py",  # records of our own, to be damaged
    }
    found = [
        (module, line, name)
        for module in modules()
        if not module.named("eve_replay/codec/") and module.name not in allowed
        for line, name, _ in calls(module.tree)
        if name in ("json.loads", "json.load")
    ]
    assert not found, breaches(found)


def test_no_module_and_no_folder_grows_without_end():
    """Over 400 lines a module should be split (with room for a change on its way); over 25 files a folder."""
    long = {module.name: module.text.count("\n") for module in modules()}
    assert not {name: lines for name, lines in long.items() if lines > 400 + ROOM}
    folders: dict[str, int] = {}
    for name in long:
        folder = name.rpartition("/")[0]
        folders[folder] = folders.get(folder, 0) + (not name.endswith("__init__.py"))
    assert not {name: count for name, count in folders.items() if count > 25}


#: Lines that a module may be over while somebody works on it.
ROOM = 100


def test_every_module_says_what_it_is():
    assert not [m.name for m in modules() if m.text.strip() and not ast.get_docstring(m.tree)]


def _elsewhere(function):
    """Yield what does not leave a function by itself: inner functions, and what a ``try`` catches."""
    for each in ast.walk(function):
        if isinstance(each, (ast.FunctionDef, ast.Lambda)) and each is not function:
            yield from ast.walk(each)
        elif isinstance(each, ast.Try) and each.handlers:
            for line in each.body:
                yield from ast.walk(line)


def test_public_functions_say_what_they_raise():
    """A command's errors are the table of exit codes; everywhere else a caller has to know what to catch."""
    found = []
    for module in modules():
        if module.named(CLI):
            continue
        for function in public_functions(module):
            said = ast.get_docstring(function) or ""
            inner = {id(node) for node in _elsewhere(function)}
            for node in ast.walk(function):
                if isinstance(node, ast.Raise) and node.exc is not None and id(node) not in inner:
                    name = dotted(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)
                    if name[:1].isupper() and name not in said:
                        found.append(
                            (module, node.lineno, f"{function.name} raises {name} and does not say so")
                        )
    assert not found, breaches(found)


def test_what_the_package_exports_explains_its_arguments():
    import inspect

    import eve_replay
    import eve_replay.notebook
    import eve_replay.workshop

    found = []
    for package in (eve_replay, eve_replay.notebook, eve_replay.workshop):
        for name in package.__all__:
            value = getattr(package, name)
            if not inspect.isfunction(value):
                continue
            said = inspect.getdoc(value) or ""
            if "as in :func:" in said:
                continue
            for argument in inspect.signature(value).parameters:
                if f"{argument}:" not in said and f"``{argument}``" not in said:
                    found.append(f"{package.__name__}.{name}: {argument}")
    assert not found


def test_what_the_quick_tier_leaves_out_exists():
    # A folder that moved would come back into the tier that is to be quick.
    gone = [name for name in SLOW if not list(ROOT.glob(f"{name}*"))]
    assert not gone, gone
