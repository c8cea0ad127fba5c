"""Kernel sources with planted copies, made from the grammar and a seeded editor."""

from __future__ import annotations

import ast
import copy
import random

from builder.curate.snippets import lex, native_snippets
from builder.kernels import candidate
from builder.shipped import category_names

CATEGORIES = dict.fromkeys(category_names(), 1.0)


def kernel(index: int, seed: int = 5) -> str:
    """Return a kernel source of the grammar."""
    return candidate(seed, index, CATEGORIES).text


def own_names(tree: ast.AST) -> list[str]:
    """Return the names of functions, parameters and locals, sorted; fields of structs are none of them."""
    fields = {id(field) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for field in ast.walk(node)}
    stored = (node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    found = {node.id for node in stored if id(node) not in fields}
    found |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return sorted(found | {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)})


class Renamer(ast.NodeTransformer):
    """Renames names, parameters and functions."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node  # a field may bear the name of a local

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self.names.get(node.arg, node.arg)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        return self.generic_visit(node)


def renamed(source: str, names: dict[str, str] | None = None) -> str:
    """Return a source with its own names replaced; all of them by new ones unless told which."""
    tree = ast.parse(source)
    table = names or {name: f"other_{place}" for place, name in enumerate(own_names(tree))}
    snippets = native_snippets(tree)
    for node in ast.walk(tree):
        if id(node) in snippets:
            params = {name: table.get(name, name) for name in snippets[id(node)]}
            params |= {f"adj_{name}": f"adj_{new}" for name, new in params.items()}
            tokens = ((kind, params.get(text, text)) for kind, text in lex(node.value))
            node.value = " ".join(f"\n{text}\n" if kind == "directive" else text for kind, text in tokens)
    return ast.unparse(Renamer(table).visit(tree))


def with_literals(source: str, step: float) -> str:
    """Return a source with every number that is a float moved by ``step``."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) is float:
            node.value += step
    return ast.unparse(tree)


def edited(source: str, random_: random.Random) -> str:
    """Return a source with one or two statements dropped, repeated or exchanged."""
    tree = ast.parse(source)
    for _ in range(random_.randint(1, 2)):
        bodies = [node.body for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.For, ast.If))]
        body = random_.choice(bodies)
        place = random_.randrange(len(body))
        action = random_.randrange(3)
        if action == 0 and len(body) > 1:
            del body[place]
        elif action == 1:
            body.insert(place, copy.deepcopy(random_.choice(body)))
        else:
            other = random_.randrange(len(body))
            body[place], body[other] = body[other], body[place]
    return ast.unparse(tree)


def planted() -> list[str]:
    """700 sources: fresh kernels, and copies of earlier ones: renamed, with other numbers, edited, or all of it."""
    random_ = random.Random(11)
    sources: list[str] = []
    fresh = 0
    while len(sources) < 700:
        if len(sources) < 20 or random_.random() < 0.3:
            sources.append(kernel(fresh))
            fresh += 1
            continue
        source = random_.choice(sources)
        action = random_.randrange(5)
        if action >= 2:
            source = edited(source, random_)
        if action in (0, 4):
            source = renamed(source)
        if action in (1, 3):
            source = with_literals(source, random_.choice((0.25, 0.5)))
        sources.append(source)
    return sources
