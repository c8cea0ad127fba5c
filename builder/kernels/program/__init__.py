"""The typed program: what the grammar builds, and render, describe and later stages read.

Every expression carries its type. Nodes are immutable; a program is a tree without sharing of meaning,
so that it can be printed, widened to other types, or translated.
"""

from __future__ import annotations

from ..types import Array, Scalar, Struct, Value
from .expressions import Apply, Call, Expr, Extent, Field, Items, Literal, Load, Name, Part, Span, Static, Word
from .module import Arg, Constant, Function, Option, Program, Snippet
from .statements import Assign, Atomic, Body, Do, Each, For, Give, If, Leave, Let, LetMany, Put, Stmt, Store, While

__all__ = [
    "Apply", "Arg", "Array", "Assign", "Atomic", "Body", "Call", "Constant", "Do", "Each", "Expr", "Extent",
    "Field", "For", "Function", "Give", "If", "Items", "Leave", "Let", "LetMany", "Literal", "Load", "Name",
    "Option", "Part", "Program", "Put", "Scalar", "Snippet", "Span", "Static", "Stmt", "Store", "Struct",
    "Value", "While", "Word",
]  # fmt: skip
