"""What a learner may write: everything of the language, as long as it acts through ``outside`` only."""

import pytest

from eve_replay.workshop import check
from eve_replay.workshop.grading.answers import reach, shape
from tests.unit.workshop.grading._exercise import PAY

CHARGE = 'outside.payments.charge(input["order"], input["cents"], key={key}, invoice=input["invoice"])'

#: Ways to write a right answer.
WAYS = {
    "dataclass": """
from dataclasses import dataclass, field, asdict

@dataclass(frozen=True, order=True)
class Key:
    invoice: str
    kind: str = field(default="invoice", repr=False)

    def text(self):
        return f"{self.kind}:{self!r}:{asdict(self)['invoice']}"

def pay(input, ctx, outside):
    return CHARGE[Key(input["invoice"]).text()]
""",
    "enum": """
import enum

class Kind(enum.Enum):
    INVOICE = "invoice"

def pay(input, ctx, outside):
    return CHARGE[Kind.INVOICE.value + input["invoice"]]
""",
    "named tuple": """
from typing import NamedTuple

class Key(NamedTuple):
    order: str
    invoice: str

def pay(input, ctx, outside):
    return CHARGE[str(Key(input["order"], input["invoice"])._asdict())]
""",
    "cache": """
from functools import lru_cache, partial, wraps

def loud(function):
    @wraps(function)
    def inner(*args, **more):
        return function(*args, **more)
    return inner

@lru_cache(maxsize=None)
def key_of(prefix, invoice):
    return prefix + invoice

@loud
def pay(input, ctx, outside):
    return CHARGE[partial(key_of, "invoice ")(input["invoice"])]
""",
    "context manager": """
from contextlib import contextmanager

@contextmanager
def key_of(input):
    yield "invoice " + input["invoice"]

def pay(input, ctx, outside):
    with key_of(input) as key:
        return CHARGE[key]
""",
    "private names": """
class _Keys:
    __slots__ = ("_seen", "__prefix")

    def __init__(self, prefix):
        self._seen = []
        self.__prefix = prefix

    def _make(self, invoice):
        self._seen.append(invoice)
        return self.__prefix + self._seen[-1]

_keys = _Keys("invoice ")

def _pay(input, ctx, outside):
    return CHARGE[_keys._make(input["invoice"])]

pay = _pay
""",
    "async": """
import asyncio

async def _key(input):
    return input["invoice"]

async def pay(input, ctx, outside):
    key = await _key(input)
    await ctx.sleep(1)
    return await CHARGE[key]
""",
    "errors": """
from eve_replay.workshop.outside import KeyReused, Timeout, UniqueViolation
from eve_replay.workshop import Timeout as SameTimeout

def pay(input, ctx, outside):
    for _ in range(3):
        try:
            return CHARGE[input["invoice"]]
        except (Timeout, SameTimeout) as error:
            ctx.note(f"{error}")
    return {"status": "unknown"}
""",
    "libraries": """
import base64, collections, datetime, decimal, hashlib, itertools, json, math, re, string, time, uuid

def pay(input, ctx, outside):
    started = time.time()
    text = json.dumps(input, sort_keys=True)
    key = uuid.uuid5(uuid.NAMESPACE_URL, hashlib.sha256(text.encode()).hexdigest())
    collections.Counter(itertools.chain(text))
    return CHARGE[str(key)]
""",
    "modern": """
def pay(input: dict[str, str | int], ctx, outside, /) -> dict:
    match input:
        case {"invoice": str() as invoice, **rest} if (key := f"{invoice!s:>20}"):
            keys = {name: value for name, value in sorted(rest.items(), key=lambda pair: pair[0])}
            assert keys
            return CHARGE[key]
""",
    "defaults": """
def pay(input, ctx, outside, prefix="invoice ", *, more=()):
    return CHARGE[prefix + input["invoice"] + "".join(more)]
""",
    "any parameters": """
def pay(*args, **more):
    input, ctx, outside = args
    return CHARGE[input["invoice"]]
""",
    "module name": """
def pay(input, ctx, outside):
    if __name__ and pay.__name__:
        return CHARGE[input["invoice"]]
""",
}


def written(source):
    while "CHARGE[" in source:
        head, _, rest = source.partition("CHARGE[")
        depth, end = 1, 0
        while depth:
            depth += {"[": 1, "]": -1}.get(rest[end], 0)
            end += 1
        source = head + CHARGE.format(key=rest[: end - 1]) + rest[end:]
    import sys
    import types

    module = types.ModuleType("written")
    sys.modules["written"] = module
    exec(compile(source, "<answer>", "exec", dont_inherit=True), vars(module))
    return vars(module)["pay"]


@pytest.mark.parametrize("name", WAYS)
def test_every_way_to_write_a_right_answer(name):
    pay = written(WAYS[name])
    assert shape(pay, "pay", ("input", "ctx", "outside")) is None
    assert reach(pay) is None
    verdict = check(PAY, pay, seeds=[0, 1])
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("import os\ndef pay(input, ctx, outside): return os.getpid()", "os.getpid"),
        ("import os.path\ndef pay(input, ctx, outside): return os.path.exists('x')", "path.exists"),
        (
            "from os import environ\ndef pay(input, ctx, outside):\n import sys\n return sys.path",
            "import sys",
        ),
        ("import eve_replay.workshop.engine.explore as e\ndef pay(input, ctx, outside): return e", "e"),
        ("def pay(input, ctx, outside): return ctx.__dict__", ".__dict__"),
        (
            "def pay(input, ctx, outside): return [c for c in ctx.__class__.__subclasses__()]",
            ".__subclasses__",
        ),
        ("def pay(input, ctx, outside):\n def inner(): return ctx._machine\n return inner()", "._machine"),
        ("pay = lambda input, ctx, outside: (lambda: ctx._machine)()", "._machine"),
        ("def pay(input, ctx, outside): return vars(ctx)", "vars"),
        ("import threading\ndef pay(input, ctx, outside): threading.Thread().start()", "threading"),
        ("class P:\n def __call__(self, input, ctx, outside): return ctx._machine\npay = P()", "._machine"),
        ("class P:\n def pay(self, input, ctx, outside): return ctx._machine\npay = P().pay", "._machine"),
        ("def pay(input, ctx, outside, look=lambda c: c._machine): return look(ctx)", "._machine"),
        (
            "def pay(input, ctx, outside):\n class A:\n  def f(self): return ctx._machine\n return A().f()",
            "._machine",
        ),
        (
            "def pay(input, ctx, outside):\n try: 1/0\n except OSError as e: return e.__traceback__",
            "",
        ),
    ],
)
def test_what_it_reaches_for_is_named(source, what):
    code, facts = reach(written(source))
    assert code == "looks-inside" and what in facts["what"]


@pytest.mark.parametrize("source", ["import time", "import asyncio as time", "from time import sleep"])
def test_waiting_for_real_is_named(source):
    call = "sleep" if source.startswith("from") else "time.sleep"
    assert reach(written(f"{source}\ndef pay(input, ctx, outside): {call}(1)"))[0] == "really-waits"
