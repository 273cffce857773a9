"""The product's source as syntax trees, read once: what the house rules look at."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One file; ``name`` is its path from the root of the repository."""

    name: str
    text: str
    tree: ast.Module

    def named(self, *starts: str) -> bool:
        """Return whether it lies below one of these paths."""
        return self.name.startswith(starts)


@functools.cache
def modules() -> tuple[Module, ...]:
    """Return every module of the two packages."""
    found = []
    for package in ("eve_replay", "tui/eve_replay_tui"):
        for path in sorted((ROOT / package).rglob("*.py")):
            text = path.read_text("utf-8")
            found.append(Module(path.relative_to(ROOT).as_posix(), text, ast.parse(text)))
    return tuple(found)


def dotted(node: ast.expr) -> str:
    """Return ``a.b.c`` of an expression that is a name with attributes, else an empty text."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def calls(tree: ast.AST) -> Iterator[tuple[int, str, ast.Call]]:
    """Yield the line and the dotted name of every call."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = dotted(node.func)
            if name:
                yield node.lineno, name, node


def public_functions(module: Module) -> Iterator[Function]:
    """Yield the functions of a module that its ``__all__`` names."""
    names: set[str] = set()
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and dotted(node.targets[0]) == "__all__":
            names |= {c.value for c in ast.walk(node.value) if isinstance(c, ast.Constant)}  # type: ignore[misc]
    for node in module.tree.body:
        if isinstance(node, Function) and node.name in names:
            yield node


def rings(module: Module) -> set[str]:
    """Return the functions of a module that can reach themselves by calls inside it.

    Names are followed as Python finds them (a class is no scope for its methods), ``self.x`` and ``cls.x`` to
    the class around. What goes through another object is not seen.
    """
    functions: dict[str, ast.AST] = {}
    classes: set[str] = set()

    def collect(node: ast.AST, scope: tuple[str, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            inner = scope
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                inner = (*scope, child.name)
                if isinstance(child, ast.ClassDef):
                    classes.add(".".join(inner))
                else:
                    functions[".".join(inner)] = child
            collect(child, inner)

    collect(module.tree, ())
    edges = {name: _called(name, node, functions, classes) for name, node in functions.items()}
    return {name for name in edges if _reaches(name, edges)}


def _called(name: str, node: ast.AST, functions: dict[str, ast.AST], classes: set[str]) -> set[str]:
    scope = name.split(".")
    own = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    inner = {
        id(n)
        for f in ast.walk(node)
        if f is not node and isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef))
        for n in ast.walk(f)
    }
    found: set[str] = set()
    for call in own:
        if id(call) in inner:
            continue
        words = dotted(call.func).split(".")
        if len(words) == 1:
            around = [scope[:i] for i in range(len(scope), -1, -1) if ".".join(scope[:i]) not in classes]
            found |= {next((c for s in around if (c := ".".join([*s, words[0]])) in functions), "")}
        elif len(words) == 2 and words[0] in ("self", "cls"):
            found.add(".".join([*scope[:-1], words[1]]))
    return found & functions.keys()


def _reaches(start: str, edges: dict[str, set[str]]) -> bool:
    seen: set[str] = set()
    waiting = list(edges[start])
    while waiting:
        name = waiting.pop()
        if name == start:
            return True
        if name not in seen:
            seen.add(name)
            waiting += edges.get(name, ())
    return False
