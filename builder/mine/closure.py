"""A kernel and everything it needs, as definitions of one source."""

from __future__ import annotations

import ast
import collections.abc
import types
import typing
from typing import Any

from ..codegen import objects
from .items import Item, Text
from .rewrite import Rewriter
from .scopes import Source, scope_of
from .structs import struct_text
from .values import Unwritable, expression, type_expression


class Closure:
    """The definitions that one kernel needs.

    Args:
        kernel: a kernel with concrete arguments, or one overload of a generic kernel.
        by_value: write values and types rather than the expressions their author wrote.

    Raises:
        Unwritable: something it needs cannot be written down.
    """

    def __init__(self, kernel: Any, *, by_value: bool = False) -> None:
        self._by_value = by_value
        self._items: dict[Any, Item] = {}
        self._members: dict[Item, dict[str, Any]] = {}
        self._alive: list[Any] = []  # an id is a key only while its object lives
        self.kernel = Item("kernel", _plain_name(kernel))
        self.kernel.texts.append(self._function_text(kernel.adj, kernel.func, self.kernel))

    def items(self) -> list[Item]:
        """Return all definitions, the kernel first, in the order in which they were met."""
        for item, members in self._members.items():
            lines = [part for name, parts in members.items() for part in (f"    {name} = ", *parts, "\n")]
            item.texts = [Text(("class ", item, ":\n", *lines))]
        # Some were made for an expression that was then written in another way.
        used, waiting = {self.kernel}, [self.kernel]
        while waiting:
            for item in [one for text in waiting.pop().texts for one in text.items() if one not in used]:
                used.add(item)
                waiting.append(item)
        return [self.kernel, *(item for item in self._items.values() if item in used)]

    def structs(self) -> dict[str, Item]:
        """Return the structs by their names with Warp's content hash."""
        return {
            obj.native_name: self._items["struct", obj.hash]
            for obj in self._alive
            if isinstance(obj, objects.Struct) and ("struct", obj.hash) in self._items
        }

    def _item(self, key: Any, kind: str, wanted: str, alive: Any = None) -> tuple[Item, bool]:
        self._alive.append(alive)
        found = self._items.get(key)
        if found is not None:
            return found, False
        item = self._items[key] = Item(kind, wanted)
        return item, True

    def define(self, obj: Any) -> Item:
        """Return the definition of a function or a struct.

        Raises:
            Unwritable: it, or something it needs, cannot be written down.
        """
        if isinstance(obj, objects.Struct):
            item, new = self._item(("struct", obj.hash), "struct", obj.cls.__name__, obj)
            if new:
                item.texts.append(struct_text(obj, item, self, by_value=self._by_value))
            return item
        item, new = self._item(("function", id(obj)), "function", _plain_name(obj), obj)
        if new:
            for overload in objects.overloads(obj):
                self._overload(overload, item)
        return item

    def _overload(self, function: Any, item: Item) -> None:
        text = self._function_text(function.adj, function.func, item)
        text.parts = (*_func_decorator(function), *text.parts)
        item.texts.append(text)
        item.natives.append((function, False))
        for kind, other in (("grad", function.custom_grad_func), ("replay", function.custom_replay_func)):
            if other is not None:
                label = Item("label", other.func.__name__)
                extra = self._function_text(other.adj, other.func, label)
                extra.parts = (f"@wp.func_{kind}(", item, ")\n", *extra.parts)
                item.texts.append(extra)
                if kind == "replay":
                    item.natives.append((other, True))

    def constant(self, name: str, obj: Any, static: bool) -> Item:
        """Return the definition of what a global name stands for.

        Args:
            name: the name.
            obj: a value, a type, a function, a struct, something of ``typing``; with ``static`` also a container.
            static: it is used by Python code, not by Warp.

        Raises:
            Unwritable: none of these.
        """
        if isinstance(obj, (objects.Function, objects.Struct)):
            return self.define(obj)
        for module in (typing, collections.abc):
            exported = getattr(obj, "__name__", None) or getattr(obj, "_name", None)
            if exported and getattr(module, exported, None) is obj and obj.__module__ in ("typing", "collections.abc"):
                item, _ = self._item(("import", exported), "import", exported)
                item.texts = [Text((f"from {module.__name__} import {exported}\n",))]
                return item
        if isinstance(obj, objects.StructInstance):
            return self._instance(name, obj)
        parts = expression(obj, self.define, python=static)
        value = objects.is_value(obj)
        item, new = self._item(("constant", name, parts), "constant", name)
        if new:
            item.texts.append(Text((item, " = wp.constant(" if value else " = ", *parts, ")\n" if value else "\n")))
        return item

    def member(self, container: Any, names: list[str], value: Any) -> Item:
        """Return the class that stands for a class or module with a constant in it.

        Args:
            container: the class or module.
            names: what the author calls it, and the constant.
            value: the constant.
        """
        wanted = container.__name__ if isinstance(container, type) else names[0]
        item, new = self._item(("class", id(container)), "class", wanted, container)
        if new:
            self._members[item] = {}
        self._members[item].setdefault(names[1], expression(value, self.define))
        return item

    def value(self, obj: Any, static: bool) -> tuple[Any, ...]:
        """Return an expression of a value, which may need definitions of its own."""
        if isinstance(obj, objects.StructInstance):
            return (self._instance("instance", obj),)
        return expression(obj, self.define, python=static)

    def _instance(self, name: str, obj: Any) -> Item:
        item, new = self._item(("instance", id(obj)), "constant", name, obj)
        if new:
            struct = obj._cls
            lines: list[Any] = [item, " = ", self.define(struct), "()\n"]
            for field in struct.vars:
                lines += [item, f".{field} = ", *self.value(getattr(obj, field), static=True), "\n"]
            item.texts.append(Text(tuple(lines)))
        return item

    def _function_text(self, adj: Any, func: types.FunctionType, item: Item) -> Text:
        """Return the text of a function from ``def`` on; its name becomes that of ``item``."""
        if adj.transformers:
            raise Unwritable("a function whose syntax tree was changed by code")
        tree = ast.parse(adj.source)
        node = tree.body[0]
        if not isinstance(node, ast.FunctionDef):
            raise Unwritable("a function without a def")
        source = Source(adj.source, tree)
        start = source.at(node.lineno, node.col_offset)
        rewriter = Rewriter(source, scope_of(func, node), self, by_value=self._by_value)
        name_at = source.text.index(node.name, start + len("def"))
        rewriter.replace_span(name_at, name_at + len(node.name), (item,))
        self._signature(rewriter, node, adj, func)
        for statement in node.body:
            rewriter.visit(statement)
        text = rewriter.text(start, source.span(node)[1])
        text.parts = (*text.parts, "\n")
        return text

    def _signature(self, rewriter: Rewriter, node: ast.FunctionDef, adj: Any, func: types.FunctionType) -> None:
        for arg in node.args.args:
            if arg.annotation is not None:
                rewriter.annotation(arg.annotation, adj.arg_types[arg.arg])
            elif arg.arg in adj.arg_types:
                rewriter.append(arg, (": ", *type_expression(adj.arg_types[arg.arg], self.define)))
        for default, value in zip(node.args.defaults, func.__defaults__ or (), strict=True):
            rewriter.default(default, value)
        if node.returns is not None and "return" in adj.arg_types:
            rewriter.annotation(node.returns, adj.arg_types["return"])


def _plain_name(obj: Any) -> str:
    """Return the name by which code calls a kernel or function: its key, unless Warp made that from a path."""
    name: str = obj.func.__name__
    path = "".join(c for c in obj.func.__qualname__.replace(".", "__") if c.isalnum() or c == "_")
    return name if obj.key == path and name.isidentifier() else str(obj.key)


def _func_decorator(function: Any) -> tuple[str, ...]:
    if function.native_snippet is not None:
        lines = [
            f"    {argument}={_literal(text)},\n"
            for argument, text in (
                ("snippet", function.native_snippet),
                ("adj_snippet", function.adj_native_snippet),
                ("replay_snippet", function.replay_snippet),
            )
            if text is not None
        ]
        return ("@wp.func_native(\n", *lines, ")\n")
    if function.inline_hint is not None:
        return (f"@wp.func(inline={function.inline_hint == 'forceinline'})\n",)
    return ("@wp.func\n",)


def _literal(text: str) -> str:
    """Return a string literal, in the form of a block if it has lines."""
    if "\n" in text and "\r" not in text and "\\" not in text and '"""' not in text and not text.endswith('"'):
        return f'"""{text}"""'
    return repr(text)
