"""Places: names, elements of arrays, components of blocks, fields of structs."""

from __future__ import annotations

import ast

from ..codegen.arguments import ArrayOf, Block, Number, Record
from ..codegen.typed import TypedFunction
from .arrays import Array, whole
from .code import ATOM, Code
from .known import Known, indices_of
from .signatures import Signature
from .types import INT, count, is_int, is_matrix, is_vector, literal, part, vector
from .unit import Unit


class Places(Known):
    """Prints the places of one function."""

    def __init__(self, unit: Unit, typed: TypedFunction, signature: Signature) -> None:
        super().__init__(unit, typed, signature)
        self.arrays: dict[str, Array] = {}

    def name(self, node: ast.Name) -> Code:
        """Return a name: the function's own, or a constant of the source."""
        kind = self.kind(node)
        if self.is_local(node.id):
            return Code(self.signature.rename(node.id), kind)
        value = self.constant(node)
        if value is None:
            raise self.rejection("a name without a value", node)
        code = self.value(value, kind)
        if isinstance(kind, Number):
            return Code(self.unit.constant(node.id, kind, code.text), kind)
        return code

    def array(self, node: ast.expr) -> Array:
        """Return the array that an expression is."""
        if isinstance(node, ast.Name):
            if node.id in self.arrays:
                return self.arrays[node.id]
            kind = self.signature.kinds.get(node.id)
            if isinstance(kind, ArrayOf):
                if kind.family != "array":
                    raise self.rejection(f"an {kind.family}", node)
                return whole(self.signature.rename(node.id), kind, node.id)
        if isinstance(node, ast.Subscript):
            base, indices = self.array(node.value), indices_of(node)
            if len(indices) < base.kind.ndim:
                codes = [self._index(one) for one in indices]
                self.use_dims(base)
                return base.rest(f"{base.pointer} + {base.offset(codes).text}", len(codes))
        if isinstance(node, ast.Attribute):
            holder, kind = self.kind(node.value), self.kind(node)
            if isinstance(holder, Record) and isinstance(kind, ArrayOf) and kind.family == "array":
                return whole(f"{self.expr(node.value).text}.{node.attr}", kind, "")
        raise self.rejection("an array that is no argument and no part of one", node)

    def use_dims(self, array: Array) -> None:
        """Note that an element of an array is looked up."""
        for axis in range(1, array.kind.ndim):
            self.signature.use_dim(array.root, array.skipped + axis)

    def _index(self, node: ast.expr) -> Code:
        if isinstance(node, ast.Slice):
            raise self.rejection("a slice", node)
        code = self.expr(node)
        if not is_int(code.kind):
            raise self.rejection("an index that is no whole number", node)
        return code

    def _read(self, node: ast.Subscript | ast.Attribute) -> Code:
        value = self.constant(node)
        if value is not None and not self.varies(node):
            code = self.value(value, self.kind(node))
            if isinstance(node, ast.Attribute) and isinstance(code.kind, Number):
                return code
            return code
        return self.place(node)

    def place(self, node: ast.expr, stores: bool = False) -> Code:
        """Return a place: a name, an element, a component, a field.

        Args:
            stores: whether it is changed, so that the array it lies in is not constant.
        """
        if isinstance(node, ast.Name):
            return self.name(node)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, stores)
        if isinstance(node, ast.Subscript):
            return self._subscript(node, stores)
        return self.expr(node)

    def _attribute(self, node: ast.Attribute, stores: bool) -> Code:
        kind = self.kind(node.value)
        if isinstance(kind, ArrayOf):
            return self._array_attribute(node)
        base = self.place(node.value, stores)
        field = f"{base.inside(ATOM)}.{node.attr}"
        if isinstance(kind, Record) and node.attr in dict(kind.fields):
            return Code(field, dict(kind.fields)[node.attr])
        if isinstance(kind, Block):
            if kind.family == "transformation" and node.attr in ("p", "q"):
                return Code(field, self._field(kind, node))
            if node.attr in "xyzw":
                return Code(part(kind, base.inside(ATOM), "xyzw".index(node.attr)), kind.number)
        raise self.rejection(f"attribute {node.attr}", node)

    def _array_attribute(self, node: ast.Attribute) -> Code:
        array = self.array(node.value)
        if node.attr == "size":
            for axis in range(array.kind.ndim):
                self.signature.use_dim(array.root, array.skipped + axis)
            return Code(" * ".join(array.dims), INT, 11 if array.kind.ndim > 1 else ATOM)
        if node.attr == "ndim":
            return literal(INT, array.kind.ndim)
        raise self.rejection(f"attribute {node.attr} of an array", node)

    def _subscript(self, node: ast.Subscript, stores: bool) -> Code:
        indices = indices_of(node)
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            return self._length(node, indices)
        base_kind = self.kind(node.value)
        if isinstance(base_kind, ArrayOf):
            array = self.array(node.value)
            if len(indices) < array.kind.ndim:
                raise self.rejection("an array as a value", node)
            codes = [self._index(one) for one in indices]
            self.use_dims(array)
            if stores:
                self.signature.write(array.root)
            element = array.element(codes[: array.kind.ndim])
            rest = codes[array.kind.ndim :]
            return self.component(element, rest, node) if rest else element
        # a[i][j] of a matrix is one entry
        if isinstance(node.value, ast.Subscript) and is_vector(base_kind):
            outer = self.kind(node.value.value)
            if is_matrix(outer):
                row = [self._index(one) for one in indices_of(node.value)]
                return self.component(self.place(node.value.value, stores), [*row, self._index(indices[0])], node)
        base = self.place(node.value, stores)
        if any(isinstance(one, ast.Slice) for one in indices) and not stores:
            return self._slice(base, indices, node)
        return self.component(base, [self._index(one) for one in indices], node)

    def _slice(self, base: Code, indices: list[ast.expr], node: ast.Subscript) -> Code:
        """Return some components of a vector, or a column of a matrix."""
        kind, first = base.kind, indices[0]
        assert isinstance(kind, Block)
        if is_matrix(kind) and len(indices) == 2 and _is_all(first) and not isinstance(indices[1], ast.Slice):
            name = self.helpers.need("column", kind)
            index = self.wrapped(self._index(indices[1]), kind.shape[1])
            return Code(f"{name}({base.text}, {index})", vector(kind.shape[0], kind.number))
        if kind.family == "vector" and len(indices) == 1 and isinstance(first, ast.Slice) and base.binds == ATOM:
            chosen = self.chosen(first, count(kind))
            if len(chosen) > 1:
                return self.made(vector(len(chosen), kind.number), [part(kind, base.text, place) for place in chosen])
        raise self.rejection("a slice", node)

    def chosen(self, node: ast.Slice, length: int) -> range:
        """Return the indices that a slice stands for."""
        return range(length)[slice(*(self._limit(one) for one in (node.lower, node.upper, node.step)))]

    def _limit(self, node: ast.expr | None) -> int | None:
        if node is None:
            return None
        code = _known(self._index(node))
        if code is None:
            raise self.rejection("a slice whose limits are not known before", node)
        return code

    def _length(self, node: ast.Subscript, indices: list[ast.expr]) -> Code:
        assert isinstance(node.value, ast.Attribute)
        array = self.array(node.value.value)
        axis = self.constant(indices[0])
        if not isinstance(axis, int) or not 0 <= axis < array.kind.ndim:
            raise self.rejection("the length of a dimension that is not known before", node)
        self.signature.use_dim(array.root, array.skipped + axis)
        return Code(array.dims[axis], INT)

    def component(self, base: Code, indices: list[Code], node: ast.AST) -> Code:
        """Return a component of a block."""
        kind = base.kind
        if not isinstance(kind, Block):
            raise self.rejection("a subscript of no block", node)
        text = base.inside(ATOM)
        known = [_known(code) for code in indices]
        if is_matrix(kind):
            if len(indices) == 1:
                self.helpers.need("row", kind)
                index = self.wrapped(indices[0], kind.shape[0])
                return Code(f"row({base.text}, {index})", vector(kind.shape[1], kind.number))
            i, j = (self.wrapped(code, n) for code, n in zip(indices, kind.shape, strict=True))
            return Code(f"{text}.m[{i}][{j}]", kind.number)
        index_known = known[0]
        if index_known is not None:
            place = index_known + count(kind) if index_known < 0 else index_known
            if not 0 <= place < count(kind):
                raise self.rejection("a component that is not there", node)
            return Code(part(kind, text, place), kind.number)
        if kind.family in ("vector", "quaternion") and count(kind) <= 4:
            self.helpers.need("at", kind)
            return Code(f"at({base.text}, {indices[0].text})", kind.number)
        if kind.family == "vector":
            return Code(f"{text}.c[{self.wrapped(indices[0], count(kind))}]", kind.number)
        raise self.rejection(f"an index into a {kind.family} that is not known before", node)

    def wrapped(self, index: Code, length: int) -> str:
        """Return an index into a block, counted from the end if it is negative."""
        known = _known(index)
        if known is not None:
            return str(known + length if known < 0 else known)
        if index.text in self.signature.counters:
            return index.text
        self.helpers.need("wrapped")
        return f"wrapped({index.text}, {length})"


def _is_all(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice) and node.lower is None and node.upper is None and node.step is None


def _known(code: Code) -> int | None:
    text = code.text
    return int(text) if text.lstrip("-").isdigit() else None
