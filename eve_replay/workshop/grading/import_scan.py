"""What compiled code reaches for that lies outside what a tool can have: modules, built-ins, private parts.

Code is read, never run. It keeps honest answers honest; who sets out to cheat finds a way round.
"""

from __future__ import annotations

import builtins
import dis
import re
from collections.abc import Iterator, Mapping
from functools import cache
from operator import attrgetter
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType

__all__ = ["Trouble", "own_names", "reach_of_cell", "reached", "refined"]

#: A remark's code and what its sentence needs.
Trouble = tuple[str, Mapping[str, object]]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


#: Modules through which a tool gets round the outside, or at the machinery that runs it.
_MODULES = _set(
    "asyncio.subprocess atexit builtins code concurrent ctypes dbm dis faulthandler gc genericpath http "
    "importlib inspect io linecache marshal mmap multiprocessing nt ntpath os pathlib pickle platform posix "
    "posixpath runpy shelve shutil signal socket sqlite3 subprocess sys tempfile threading traceback types "
    "urllib.error urllib.request weakref _io _pickle _sqlite3 _socket _thread"
)
#: What only works on the text of a path.
_PATHS = _set("basename commonprefix dirname isabs join normcase normpath sep split splitext")
#: What each of them would be used for, told to the learner by name: what it starts with, without `import `.
_FILES = _set(
    "dbm io linecache mmap open os.path os.remove os.rename os.open os.mkdir os.makedirs os.listdir "
    "os.stat os.unlink os.replace os.link os.fsync path pathlib pickle posixpath ntpath genericpath shelve "
    "shutil sqlite3 _sqlite3 tempfile posix nt"
)
_MACHINE = _set("os.environ os.getenv os.getpid os.uname os.getppid os.cpu_count environ platform sys.argv")
_NETWORK = _set("http socket _socket urllib.request urllib.error urlopen")
#: Of these some things do no harm.
_ALLOWED: Mapping[str, frozenset[str]] = {
    "io": _set("StringIO BytesIO"),
    "ntpath": _PATHS,
    "os": _set("linesep path sep urandom"),
    "pickle": _set("dumps"),
    "_pickle": _set("dumps"),
    "posixpath": _PATHS,
    "sys": _set("maxsize stderr stdout version version_info"),
    "threading": _set("Lock RLock"),
    "traceback": _set("format_exc print_exc"),
    "types": _set("MappingProxyType SimpleNamespace"),
}
_HARMLESS = frozenset(name for names in _ALLOWED.values() for name in names) | {"allocate_lock", "lock"}
#: Parts of this package that an answer may use.
_OURS = frozenset({"eve_replay.workshop", "eve_replay.workshop.outside", "eve_replay.workshop.wire"})
#: What the cell around the answer may not import either; the rest does no harm where no tool uses it.
_INTERPRETER = _set("builtins ctypes gc importlib inspect sys")
_BUILTINS = _set("__import__ breakpoint compile dir eval exec exit globals input locals open quit vars")
_ATTRIBUTES = _set("ag_frame cr_frame f_back f_builtins f_globals f_locals gi_frame tb_frame tb_next")
#: What leads from an object to what lies behind it; other names with two underscores are the language's own.
_BEHIND = _set(
    "__bases__ __base__ __builtins__ __closure__ __code__ __dict__ __func__ __getattribute__ __globals__ "
    "__mro__ __reduce__ __reduce_ex__ __self__ __subclasses__ __traceback__ __wrapped__"
)
#: Of a named tuple.
_TUPLES = _set("_asdict _fields _field_defaults _make _replace")
#: Classes of what Python prints to.
_PRINTERS = _set("TextIOWrapper StringIO BytesIO")
#: What turns a text into the name of an attribute; a text with a private one in it is looked at then.
_BY_TEXT = _set("attrgetter format format_map getattr methodcaller")
_PRIVATE_IN_TEXT = re.compile(r"(?:^|[.{])(_\w+)")


def reach_of_cell(code: CodeType) -> Trouble | None:
    """Return what an answer cell itself uses of the interpreter or of the grader, beside its functions."""
    for step in dis.get_instructions(code):
        word = step.argval if isinstance(step.argval, str) else ""
        if step.opname == "IMPORT_NAME" and (word in _INTERPRETER or (_is_ours(word) and word not in _OURS)):
            return "looks-inside", {"what": f"import {word}"}
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR") and word in _ATTRIBUTES | _BEHIND:
            return "looks-inside", {"what": f".{word}"}
    return None


def reached(code: CodeType, names: Mapping[str, object], own: frozenset[str]) -> Trouble | None:
    """Return the first thing that some code uses and a tool cannot have, None when there is none.

    Args:
        code: of one function; the functions inside it are looked at by themselves.
        names: what its names mean: globals, and what it closes over.
        own: private names that the answer itself makes.
    """
    before: object = None
    last: dis.Instruction | None = None
    steps = [each for each in dis.get_instructions(code) if each.opname not in ("CACHE", "EXTENDED_ARG")]
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        word = step.argval if isinstance(step.argval, str) else ""
        used: object = None
        if step.opname == "IMPORT_NAME" and _barred(word):
            return "looks-inside", {"what": f"import {word}"}
        if step.opname == "IMPORT_FROM" and word in _MODULES and word not in _HARMLESS:
            return "looks-inside", {"what": f"import {word}"}
        if step.opname in ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"):
            used = names.get(word)
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"):
            used = names.get(word, getattr(builtins, word, None))
            if word in _BUILTINS and used is getattr(builtins, word, None):
                return "looks-inside", {"what": word}
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            used = getattr(before, word, None) if isinstance(before, ModuleType) else None
        if _lies_outside(used) and not _takes_what_is_harmless(used, after):
            return "looks-inside", {"what": _spelled(word, used, after)}
        if step.opname in ("STORE_ATTR", "DELETE_ATTR") and _is_not_theirs(before, names):
            return "looks-inside", {"what": f".{word} = ..."}
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR"):
            if _is_private(word) and not (word in own and _is_own_use(word, code, last)):
                return "looks-inside", {"what": f".{word}"}
        elif step.opname == "LOAD_CONST" and word and _BY_TEXT & set(code.co_names):
            for found in _PRIVATE_IN_TEXT.findall(word):
                if _is_private(found) and found not in own - _parts_of_ours():
                    return "looks-inside", {"what": found}
        elif step.opname == "MATCH_CLASS" and last is not None and isinstance(last.argval, tuple):
            for found in last.argval:
                if _is_private(found) and found not in own - _parts_of_ours():
                    return "looks-inside", {"what": f".{found}"}
        if isinstance(used, attrgetter) and _PRIVATE_IN_TEXT.search(repr(used).replace("'", ".")):
            return "looks-inside", {"what": repr(used)}
        if isinstance(used, BuiltinFunctionType | FunctionType) and _sleeps(used):
            return "really-waits", {"what": "sleep"}
        before, last = used, step
    return None


def _spelled(word: str, used: object, after: dis.Instruction | None) -> str:
    """What was reached for as the learner wrote it: ``os.environ`` where a part of a module is used."""
    if isinstance(used, ModuleType) and after is not None and after.opname in ("LOAD_ATTR", "LOAD_METHOD"):
        return f"{word}.{after.argval}"
    home = getattr(used, "__module__", "")
    return f"{home}.{word}" if home in ("os", "posix", "posixpath", "genericpath", "platform") else word


def refined(trouble: Trouble) -> Trouble:
    """Say of what an answer reaches for what it would be used for: a file, the machine, the network."""
    code, facts = trouble
    what = str(facts.get("what", "")).removeprefix("import ")
    if code != "looks-inside" or not what:
        return trouble
    for name, starts in (("uses-files", _FILES), ("uses-machine", _MACHINE), ("uses-network", _NETWORK)):
        if any(what == each or what.startswith(f"{each}.") for each in starts):
            return name, facts
    return trouble


def _is_own_use(word: str, code: CodeType, last: dis.Instruction | None) -> bool:
    """Whether a private name of the answer's own is used: one that ours have too only as ``self.name``."""
    if word not in _parts_of_ours():
        return True
    within = code.co_qualname.rpartition(".")[0]
    me = code.co_varnames[0] if code.co_argcount else None
    is_method = bool(within) and not within.endswith("<locals>")
    if not is_method or last is None or "LOAD_FAST" not in last.opname:
        return False
    # Newer Pythons load two names at once, or store one and load another: the last one is meant.
    loaded = last.argval[-1] if isinstance(last.argval, tuple) else last.argval
    return bool(loaded == me)


@cache
def _parts_of_ours() -> frozenset[str]:
    """What a tool is handed keeps its own things under these names."""
    from eve_replay.workshop.engine.tools import Context
    from eve_replay.workshop.engine.workflow import WorkflowContext
    from eve_replay.workshop.outside import SERVICES, Transaction

    kinds = (Context, WorkflowContext, Transaction, *SERVICES.values())
    return frozenset(
        name for kind in kinds for base in kind.__mro__ for name in vars(base).get("__slots__", ())
    )


def _lies_outside(used: object) -> bool:
    """Whether what a name means is a barred module, or something out of one."""
    if isinstance(used, ModuleType):
        return _barred(used.__name__)
    if isinstance(used, FunctionType):
        return _is_ours(used.__module__) or _is_barred_home(used)
    return used is not None and _is_barred_home(used)


def _is_barred_home(used: object) -> bool:
    thing = isinstance(used, type | FunctionType | BuiltinFunctionType)
    home = getattr(used if thing else type(used), "__module__", None)
    name = getattr(used if thing else type(used), "__name__", "")
    if not isinstance(home, str) or home == "builtins" or name in _HARMLESS or name in _PRINTERS:
        return False
    return not _is_ours(home) and _barred(home)


def _takes_what_is_harmless(used: object, after: dis.Instruction | None) -> bool:
    """Whether only a harmless thing of a module is used: ``os.path``."""
    return (
        isinstance(used, ModuleType)
        and after is not None
        and after.opname in ("LOAD_ATTR", "LOAD_METHOD")
        and after.argval in _ALLOWED.get(used.__name__, ())
    )


def _is_not_theirs(used: object, names: Mapping[str, object]) -> bool:
    """Whether something is a module, or a class that the answer has not written itself."""
    if isinstance(used, type):
        return used.__module__ != names.get("__name__")
    return isinstance(used, ModuleType)


def _sleeps(function: BuiltinFunctionType | FunctionType) -> bool:
    return function.__name__ == "sleep" and function.__module__ in ("time", "asyncio.tasks")


def own_names(code: CodeType) -> Iterator[str]:
    """Yield the attributes that some code makes itself: a class of the learner may have private ones."""
    for step in dis.get_instructions(code):
        if step.opname in ("STORE_ATTR", "STORE_NAME") and isinstance(step.argval, str):
            yield step.argval


def _is_private(word: str) -> bool:
    if word in _ATTRIBUTES or word in _BEHIND:
        return True
    dunder = word.startswith("__") and word.endswith("__")
    return word.startswith("_") and word.isidentifier() and not dunder and word not in _TUPLES


def _is_ours(module: str | None) -> bool:
    """Whether a module belongs to the workshop or to what starts it; the others only read journals."""
    return (module or "").startswith(("eve_replay.workshop", "eve_replay.cli"))


def _barred(module: str) -> bool:
    if _is_ours(module):
        return module not in _OURS
    return module in _MODULES or module.partition(".")[0] in _MODULES
