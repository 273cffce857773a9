"""Answers that would pass if the grader did not look: hidden memory, peeping, patching, lies.

Each tool here is wrong. It is written as somebody would write it who knows how the check works.
"""

import os
import sys
import types

import pytest

from eve_replay.workshop import check
from eve_replay.workshop.grading.answers import reach_of_cell
from eve_replay.workshop.grading.interpreter_state import Untouched

#: Sends without a key, and would remember what it has sent if anything lived on in ``get`` and ``put``.
REMEMBERS = """
def send_mail(input, ctx, outside):
    mem = get()
    k = ctx.session_id + ctx.call_id
    me = ME
    if mem and (mem[0] != me or mem[1] > ctx.now):
        mem = []
    mem = [me, ctx.now] + list(mem[2:])
    if k in mem:
        put(mem)
        return {"status": "sent"}
    before = ctx.now
    try:
        outside.mail.send(input["to"], input["subject"])
    except BaseException:
        put([me, ctx.now] + mem[2:] + ([k] if ctx.now > before else []))
        raise
    put([me, ctx.now] + mem[2:] + [k])
    return {"status": "sent"}
"""
#: Where to remember: ``get`` and ``put`` of a list. Where ``json`` is named, text only is kept.
PLACES = {
    "global-rebind": """
M=()
def get(): return list(M)
def put(x):
    global M
    M=tuple(x)
""",
    "func-attr": """
def get(): return list(getattr(get,'x',()))
def put(x): get.x=tuple(x)
""",
    "default": """
def get(m=[]): return m
def put(x, g=get): g()[:]=x
""",
    "deque": """
from collections import deque
M=deque()
def get(): return list(M)
def put(x): M.clear(); M.extend(x)
""",
    "closure": """
def mk():
    m=[]
    def get(): return list(m)
    def put(x):
        nonlocal m
        m=list(x)
    return get,put
get,put=mk()
""",
    "ChainMap": """
from collections import ChainMap
M=ChainMap()
def get(): return list(M.get('x',()))
def put(x): M['x']=tuple(x)
""",
    "UserDict": """
from collections import UserDict
M=UserDict()
def get(): return list(M.get('x',()))
def put(x): M['x']=tuple(x)
""",
    "SimpleQueue": """
from queue import SimpleQueue
M=SimpleQueue()
M.put([])
def get():
    x=M.get(); M.put(x); return list(x)
def put(x): M.get(); M.put(list(x))
""",
    "StringIO": """
import io, json
M=io.StringIO()
M.write('[]')
def get(): return json.loads(M.getvalue())
def put(x):
    M.seek(0); M.truncate(); M.write(json.dumps(x))
""",
    "BytesIO": """
from io import BytesIO
import json
M=BytesIO(b'[]')
def get(): return json.loads(M.getvalue())
def put(x):
    M.seek(0); M.truncate(); M.write(json.dumps(x).encode())
""",
    "generator": """
def _g():
    m=[]
    while True:
        x=yield m
        if x is not None: m=x
M=_g(); next(M)
def get(): return list(M.send(None))
def put(x): M.send(list(x))
""",
    "array": """
from array import array
import json
M=array('b', b'[]')
def get(): return json.loads(M.tobytes())
def put(x):
    del M[:]
    M.frombytes(json.dumps(x).encode())
""",
    "bytearray": """
import json
M=bytearray(b'[]')
def get(): return json.loads(bytes(M))
def put(x): M[:]=json.dumps(x).encode()
""",
    "memoryview": """
import json
M=memoryview(bytearray(b'[]'+b' '*5000))
def get(): return json.loads(bytes(M))
def put(x): M[:]=json.dumps(x).encode().ljust(5002)
""",
    "math-attr": """
import math
def get(): return list(getattr(math,'mem',()))
def put(x): math.mem=tuple(x)
""",
    "json-attr-setattr": """
import json
def get(): return list(getattr(json,'mem',()))
def put(x): setattr(json,'mem',tuple(x))
""",
    "type-outside": """
T=None
def get(): return list(getattr(T,'mem',())) if T else []
def put(x): T.mem=tuple(x)
""",
    "contextvar": """
import contextvars
M=contextvars.ContextVar('m', default=())
def get(): return list(M.get())
def put(x): M.set(tuple(x))
""",
    "threadlocal": """
import threading
M=threading.local()
def get(): return list(getattr(M,'x',()))
def put(x): M.x=tuple(x)
""",
    "logger-attr": """
import logging
L=logging.getLogger('q')
def get(): return list(getattr(L,'x',()))
def put(x): L.x=tuple(x)
""",
    "random-state": """
import random
R=random.Random()
def get(): return list(getattr(R,'x',()))
def put(x): R.x=tuple(x)
""",
    "Namespace": """
from argparse import Namespace
M=Namespace(x=())
def get(): return list(M.x)
def put(x): M.x=tuple(x)
""",
    "SimpleNamespace": """
from types import SimpleNamespace
M=SimpleNamespace(x=())
def get(): return list(M.x)
def put(x): M.x=tuple(x)
""",
    "partial-attr": """
from functools import partial
M=partial(int)
def get(): return list(getattr(M,'x',()))
def put(x): M.x=tuple(x)
""",
    "exception-obj": """
M=ValueError()
def get(): return list(M.args)
def put(x): M.args=tuple(x)
""",
    "weakvaluedict": """
import weakref
class C: pass
C1=C()
M=weakref.WeakKeyDictionary()
def get(): return list(M.get(C1,()))
def put(x): M[C1]=tuple(x)
""",
    "warnings-filters": """
import warnings
def get(): return list(getattr(warnings,'onceregistry').get('x',()))
def put(x): warnings.onceregistry['x']=tuple(x)
""",
    "string-Template": """
import string
M=string.Template('')
import json
def get(): return json.loads(M.template or '[]')
def put(x): M.template=json.dumps(x)
""",
    "shared-class-dict-stdlib": """
from collections import Counter
def get(): return list(getattr(Counter,'mem',()))
def put(x): Counter.mem=tuple(x)
""",
    "os-environ-via-uuid": """
import uuid, json
def get(): return json.loads(uuid.os.environ.get('Q','[]'))
def put(x): uuid.os.environ['Q']=json.dumps(x)
""",
    "os-environ": """
from os import environ
import json
def get(): return json.loads(environ.get('Q','[]'))
def put(x): environ['Q']=json.dumps(x)
""",
    "lru_cache-mutable": """
from functools import lru_cache
@lru_cache
def m(): return []
def get(): return list(m())
def put(x): m()[:]=x
""",
    "cycle-itertools": """
import itertools
M=itertools.cycle([[]])
def get(): return list(next(M))
def put(x): next(M)[:]=x
""",
    "iter-list": """
M=iter([[]]*100000)
def get(): return list(next(M))
def put(x): next(M)[:]=x
""",
    "frozen-tuple-of-list": """
M=((),[[]])
def get(): return list(M[1][0])
def put(x): M[1][0]=list(x)
""",
    "mappingproxy": """
from types import MappingProxyType
D={}
M=MappingProxyType(D)
S=D.__setitem__
def get(): return list(M.get('x',()))
def put(x): S('x',tuple(x))
""",
    "bound-method-list": """
_m=[]
get_=_m.copy
clr=_m.clear
ext=_m.extend
del _m
def get(): return get_()
def put(x): clr(); ext(x)
""",
    "map-obj": """
L=[[]]
put_=L.__setitem__
get_=L.__getitem__
del L
def get(): return list(get_(0))
def put(x): put_(0,list(x))
""",
    "itemgetter-closure": """
import operator
M=operator.methodcaller('copy')
L=[]
f=(lambda l: (lambda: list(l), lambda x: l.__setitem__(slice(None), x)))(L)
get, put = f
""",
    "datetime-tz": """
import datetime
class TZ(datetime.tzinfo): x=()
M=TZ()
def get(): return list(M.x)
def put(x): M.x=tuple(x)
""",
    "enum-attr": """
from enum import Enum
class E(Enum):
    A=1
def get(): return list(getattr(E.A,'x',()))
def put(x): E.A.x=tuple(x)
""",
    "metaclass": """
class Meta(type):
    mem=[]
class C(metaclass=Meta): pass
def get(): return list(C.mem)
def put(x): type(C).mem[:]=x
""",
    "module-type": """
import types
M=types.ModuleType('m')
def get(): return list(getattr(M,'x',()))
def put(x): M.x=tuple(x)
""",
    "dict-subclass-attr": """
class D(dict): pass
M=D()
def get(): return list(getattr(M,'x',()))
def put(x): M.x=tuple(x)
""",
    "list-subclass-attr": """
class D(list): pass
M=D()
def get(): return list(getattr(M,'x',()))
def put(x): M.x=tuple(x)
""",
    "tuple-subclass-attr": """
class D(tuple): pass
M=D()
def get(): return list(getattr(M,'x',()))
def put(x): M.x=tuple(x)
""",
    "str-subclass-attr": """
class D(str): pass
M=D()
def get(): return list(getattr(M,'x',()))
def put(x): M.x=tuple(x)
""",
    "int-subclass-attr": """
class D(int): pass
M=D()
def get(): return list(getattr(M,'x',()))
def put(x): M.x=tuple(x)
""",
    "exc-subclass": """
class D(Exception): pass
M=D()
def get(): return list(M.args)
def put(x): M.args=tuple(x)
""",
    "defaultdict-factory": """
from collections import defaultdict
M=defaultdict(list)
def get(): return list(M.get('x',()))
def put(x): M['x']=list(x)
""",
    "dataclass-slots": """
from dataclasses import dataclass
@dataclass(slots=True)
class D:
    x: tuple=()
M=D()
def get(): return list(M.x)
def put(x): M.x=tuple(x)
""",
    "property-setter": """
class D:
    _v=()
    @property
    def v(self): return D._v
    @v.setter
    def v(self,x): D._v=tuple(x)
M=D()
def get(): return list(M.v)
def put(x): M.v=x
""",
    "class-in-list-comp": """
K=[type('K',(),{'x':()})]
def get(): return list(K[0].x)
def put(x): K[0].x=tuple(x)
""",
    "globals-dynamic": """
def get(): return list(get.__globals__.get('zz',()))
def put(x): get.__globals__['zz']=x
""",
    "annotations": """
def get(): return list(get.__annotations__.get('zz',()))
def put(x): get.__annotations__['zz']=tuple(x)
""",
    "doc": """
import json
def get():
    '[]'
    return json.loads(get.__doc__)
def put(x): get.__doc__=json.dumps(x)
""",
    "name": """
import json
def get():
    n=get.__name__
    return json.loads(n) if n!='get' else []
def put(x): get.__name__=json.dumps(x)
""",
    "kwdefaults": """
def get(*, m=()): return list(m)
def put(x): get.__kwdefaults__={'m':tuple(x)}
""",
    "decimal-context": """
import decimal, json
def get(): return json.loads(getattr(decimal,'zz','[]'))
def put(x): decimal.zz=json.dumps(x)
""",
    "re-cache-locale": """
import locale
def get(): return list(getattr(locale,'zz',()))
def put(x): locale.zz=tuple(x)
""",
    "object-stdlib-instance": """
from concurrent.futures import Future
M=Future()
def get(): return list(getattr(M,'x',()))
def put(x): M.x=tuple(x)
""",
    "xml-element": """
import xml.etree.ElementTree as E
import json
M=E.Element('a')
def get(): return json.loads(M.get('x','[]'))
def put(x): M.set('x',json.dumps(x))
""",
    "counter-from-module-import": """
from collections import OrderedDict
M=OrderedDict()
def get(): return list(M.get('x',()))
def put(x): M['x']=tuple(x)
""",
    "answer-object": """
from eve_replay.workshop.outside import Answer
M=Answer()
def get(): return list(M.get('x',()))
def put(x): M['x']=tuple(x)
""",
    "class-Timeout-attr": """
from eve_replay.workshop.outside import Timeout
def get(): return list(getattr(Timeout,'x',()))
def put(x): Timeout.x=tuple(x)
""",
    "outside-module-attr": """
import eve_replay.workshop.outside as o
def get(): return list(getattr(o,'zz',()))
def put(x): o.zz=tuple(x)
""",
}


def written(source, name="send_mail"):
    """Run a cell as the grader's child process does. Returns what it defines, and the look before it."""
    module = types.ModuleType("answer")
    sys.modules["answer"] = module
    before = Untouched()
    exec(compile(source, "<answer>", "exec", dont_inherit=True), vars(module))
    return vars(module)[name], before


@pytest.mark.parametrize("place", PLACES)
def test_memory_of_a_dead_process_is_gone(place):
    me = "id(outside)" if "json" in PLACES[place] else "outside"
    tool = REMEMBERS.replace("ME", me)
    if place == "type-outside":
        tool = tool.replace("    mem = get()", "    global T\n    T = type(outside.mail)\n    mem = get()")
    answer, before = written(PLACES[place] + tool)
    environment = dict(os.environ)
    verdict = check(1, answer, before=before)
    assert not verdict.passed
    assert verdict.code in ("memory-lost", "looks-inside", "uses-machine", "no-key"), verdict
    assert environment == dict(os.environ)
    assert not before.touched()


LEDGER = """
    if not any(e.fields.get("subject") == input["subject"] for e in found.ledger):
        outside.mail.send(input["to"], input["subject"])
"""
PEEPS = {
    "getattr": "def send_mail(input, ctx, outside):\n    found = getattr(ctx, '_machine')" + LEDGER,
    "attrgetter": "from operator import attrgetter\nlook = attrgetter('_machine')\n"
    "def send_mail(input, ctx, outside):\n    found = look(ctx)" + LEDGER,
    "attrgetter inside": "from operator import attrgetter\n"
    "def send_mail(input, ctx, outside):\n    found = attrgetter('_machine')(ctx)" + LEDGER,
    "dir": "def send_mail(input, ctx, outside):\n"
    "    found = [getattr(ctx, n) for n in dir(ctx) if 'mach' in n][0]" + LEDGER,
    "match": "def send_mail(input, ctx, outside):\n    match ctx:\n        case object(_machine=found):\n"
    "            pass" + LEDGER,
    "format": "def send_mail(input, ctx, outside):\n    if input['subject'] not in"
    " '{0._machine.ledger}'.format(ctx):\n        outside.mail.send(input['to'], input['subject'])",
    "a class with such a name": "class A:\n    def __init__(self): self._machine = 1\n"
    "def send_mail(input, ctx, outside):\n    found = ctx._machine" + LEDGER,
    "a function with such a name": "def _machine(): pass\n"
    "def send_mail(input, ctx, outside):\n    found = ctx._machine" + LEDGER,
}


@pytest.mark.parametrize("way", PEEPS)
def test_what_lies_behind_the_tool_s_things_is_not_looked_at(way):
    answer, before = written(PEEPS[way])
    verdict = check(1, answer, before=before)
    assert verdict.code == "looks-inside" and "_machine" in verdict.headline + "_machine" * (way == "dir")


PATCHES = {
    "another method": """
def send_mail(input, ctx, outside):
    kind = type(outside.mail)
    if not hasattr(kind, "real"):
        kind.real, seen = kind.send, set()
        def send(self, to, subject):
            if (id(self), to, subject) not in seen:
                kind.real(self, to, subject)
                seen.add((id(self), to, subject))
        kind.send = send
    outside.mail.send(input["to"], input["subject"])
""",
    "other defaults": """
def send_mail(input, ctx, outside):
    type(outside.mail).send.__defaults__ = ("", input["to"] + input["subject"])
    outside.mail.send(input["to"], input["subject"])
""",
    "another clock": """
def send_mail(input, ctx, outside):
    type(ctx).now = 0
    outside.mail.send(input["to"], input["subject"])
""",
    "from the cell": """
import eve_replay.workshop.outside as outside_world
real = outside_world.Mail.send
outside_world.Mail.send = lambda self, to, subject: real(self, to, subject, "", to + subject)
def send_mail(input, ctx, outside):
    outside.mail.send(input["to"], input["subject"])
""",
}


@pytest.mark.parametrize("way", PATCHES)
def test_changing_the_workshop_does_not_help_and_is_undone(way):
    answer, before = written(PATCHES[way])
    assert check(1, answer, before=before).code == "looks-inside"

    def send_mail(input, ctx, outside):
        outside.mail.send(input["to"], input["subject"], key=ctx.session_id + ctx.call_id)

    assert check(1, send_mail).passed


def test_the_cell_may_not_import_the_judge():
    code = compile("import eve_replay.workshop.promises", "<answer>", "exec")
    assert reach_of_cell(code)[0] == "looks-inside"


LIES = {
    2: "class I(int):\n    __eq__ = lambda s, o: True\n    __ne__ = lambda s, o: False\n"
    "def charges_seen(where): return I(1), I(1)",
    3: "class B:\n    __eq__ = lambda s, o: True\ndef same_deed(a, b): return B()",
    8: "class S(str):\n    __eq__ = lambda s, o: True\n    __ne__ = lambda s, o: False\n"
    "def flue_fate(call): return S('kept')",
}


@pytest.mark.parametrize("lesson", LIES)
def test_a_value_that_says_it_is_equal_to_everything(lesson):
    name = {2: "charges_seen", 3: "same_deed", 8: "flue_fate"}[lesson]
    answer, before = written(LIES[lesson], name)
    assert not check(lesson, answer, before=before).passed


def test_a_function_that_changes_what_it_is_given_changes_nothing_for_the_next_one():
    names = ("session", "turnId", "stepIndex", "position", "tool", "input")

    def same_deed(a, b):
        return all(a[name] == b[name] for name in names)

    def careless(a, b):
        same = same_deed(a, b)
        for call in (a, b):
            call["input"].clear()
            call["deliveryIds"].clear()
        return same

    assert check(3, careless).passed
    assert check(3, same_deed).passed
