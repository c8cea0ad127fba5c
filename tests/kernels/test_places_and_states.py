"""Ids of meshes and states of random numbers are passed on, and never computed with."""

from __future__ import annotations

import ast

import pytest

from builder.kernels import candidate


def names_of(tree):
    """Return the handles among the arguments, and the random states."""
    arguments = [arg for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for arg in node.args.args]
    names = {arg.arg for arg in arguments if arg.annotation is not None and ast.unparse(arg.annotation) == "wp.uint64"}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(attr="rand_init"))):
                names.add(name)
    return names


def computes(node, names):
    """Say whether a node converts one of the names or computes with it."""
    match node:
        case ast.Call(func=ast.Name() | ast.Attribute(attr="float64" | "float16"), args=[ast.Name(id=name)]):
            return name in names and ast.unparse(node.func) in ("float", "int", "wp.float64", "wp.float16")
        case ast.BinOp(left=left, right=right):
            return any(isinstance(side, ast.Name) and side.id in names for side in (left, right))
    return False


@pytest.mark.parametrize("category", ["spatial_query", "random"])
def test_no_expression_computes_with_them(category):
    seen = 0
    for index in range(250):
        text = candidate(9, index, {category: 1.0}).text
        tree = ast.parse(text)
        names = names_of(tree)
        seen += bool(names)
        assert not any(computes(node, names) for node in ast.walk(tree)), text
    assert seen > 150
