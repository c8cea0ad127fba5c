"""Statements: from a typed syntax tree to C++."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..codegen.arguments import ArrayOf, Block, Kind, Number
from ..codegen.objects import operator_name
from ..codegen.typed import Called, TypedFunction
from .arrays import Array
from .atomics import atomic
from .code import Code
from .expressions import Expressions
from .loops import counts_up, loop_head
from .operators import binary_op, updates_in_place
from .scalars import truth
from .scope import Scope, scope_of
from .signatures import Signature
from .types import is_matrix, number_of, vector, zero
from .unit import Unit

_ATOMIC = {ast.Add: "add", ast.Sub: "sub", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
_ATOMIC_FLOATS = ("float16", "bfloat16", "float32", "float64")
_ATOMIC_INTS = ("int32", "uint32", "int64", "uint64")


class Statements(Expressions):
    """Prints the body of one function."""

    def __init__(self, unit: Unit, typed: TypedFunction, signature: Signature) -> None:
        super().__init__(unit, typed, signature)
        self.scope = Scope()
        self.tid: ast.stmt | None = None  # the assignment that names the thread's indices
        self.leaves = "return;"  # how a kernel ends for one place of its grid
        self.loops = 0
        self.array_names = {
            node.id for node, kind in typed.kinds.items() if isinstance(kind, ArrayOf) and isinstance(node, ast.Name)
        }

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Print the statements of the function."""
        kept = list(statements)
        self.scope = scope_of(self.typed.node, kept)
        self.scope.constant -= self._changed()
        self.block(kept)

    def _changed(self) -> set[str]:
        """Return the names that are changed otherwise than by an assignment."""
        changed: set[str] = set()
        for node in self.typed.nodes:
            if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
                changed |= {name for name in _bases(node) if not self._is_array(name)}
            elif isinstance(node, ast.AugAssign):
                changed |= {name for name in _bases(node.target) if not self._is_array(name)}
            elif isinstance(node, ast.Call) and node.args:
                for called in self.typed.calls.get(node, ()):
                    if called.name.startswith(("rand", "sample_", "poisson", "transform_set_")):
                        changed |= _bases(node.args[0])
                    elif called.name == "quat_to_axis_angle":
                        changed |= {name for one in node.args[1:] for name in _bases(one)}
        return changed

    def _is_array(self, name: str) -> bool:
        return name in self.array_names

    def block(self, statements: Sequence[ast.stmt]) -> None:
        """Print statements, one after the other."""
        for statement in statements:
            self.statement(statement)
            if isinstance(statement, (ast.Return, ast.Break, ast.Continue)):
                break

    def statement(self, node: ast.stmt) -> None:
        """Print one statement."""
        for name in self.scope.declared_before.get(node, ()):
            self._declare_empty(name, node)
        head = node.test if isinstance(node, (ast.If, ast.While)) else node.iter if isinstance(node, ast.For) else node
        self.sequenced = self._effects(head) > 1
        self.alone = None
        match node:
            case ast.Assign() if len(node.targets) == 1:
                self._assign(node)
            case ast.AugAssign():
                self._augmented(node)
            case ast.If():
                self._if(node)
            case ast.For():
                self._for(node)
            case ast.While() if not node.orelse:
                self._while(node)
            case ast.Return():
                self._return(node)
            case ast.Break():
                self.line("break;")
            case ast.Continue():
                self.line("continue;")
            case ast.Pass():
                pass
            case ast.Expr():
                self._expression(node)
            case _:
                raise self.rejection(f"ast.{type(node).__name__}", node)

    def _effects(self, node: ast.AST) -> int:
        """Return how many effects an expression has whose order C++ leaves open."""
        if not self.effects:
            return 0
        inner = [self._effects(child) for child in ast.iter_child_nodes(node)]
        if isinstance(node, (ast.BoolOp, ast.IfExp)):
            return max(inner, default=0)
        return sum(inner) + (node in self.effects)

    # --- assignments ------------------------------------------------------------------------------------

    def _declare_empty(self, name: str, node: ast.stmt) -> None:
        kind = self.kind_of_name(name, node)
        if isinstance(kind, ArrayOf):
            raise self.rejection("an array that is chosen at run time", node)
        self.line(f"{self.helpers.type(kind)} {self.signature.rename(name)} = {zero(kind)};")

    def kind_of_name(self, name: str, node: ast.stmt) -> Kind:
        """Return the type of a local name, from any of its uses or assignments."""
        for inner in self.typed.nodes:
            if isinstance(inner, ast.Name) and inner.id == name and inner in self.typed.kinds:
                return self.typed.kinds[inner]
        for inner in self.typed.nodes:
            if isinstance(inner, ast.Assign) and isinstance(inner.targets[0], ast.Name) and inner.targets[0].id == name:
                return self.kind(inner.value)
        raise self.rejection(f"a name without a type, {name}", node)

    def _assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if isinstance(target, ast.Tuple):
            self._unpack(node, target)
        elif isinstance(target, ast.Name):
            self._assign_name(node, target)
        else:
            value = self.expr(node.value)
            self._store(target, value, node)

    def _assign_name(self, node: ast.Assign, target: ast.Name) -> None:
        name = target.id
        if node is self.tid:
            return
        if isinstance(node.value, (ast.Tuple, ast.List)):
            raise self.rejection("a tuple as a value", node)
        kind = self.kind(node.value)
        if isinstance(kind, ArrayOf):
            self._assign_array(node, name)
            return
        unused = name not in self.scope.loaded
        if unused and not self.has_effect(node.value):
            return
        self.alone = node.value if unused else None
        self.sequenced = self._effects(node) > 1
        value = self.expr(node.value)
        self.line(f"{value.text};" if unused else f"{self._target(name, value.kind, node)} = {value.text};")

    def _target(self, name: str, kind: Kind, node: ast.stmt) -> str:
        """Return the left side of an assignment to a name, its declaration if this is it."""
        own = self.signature.rename(name)
        if name not in self.scope.declared_at.get(node, ()):
            return own
        const = "const " if name in self.scope.constant else ""
        return f"{const}{self.helpers.type(kind)} {own}"

    def _make_array(self, node: ast.Assign, name: str, called: Called) -> None:
        """Declare an array of the thread's own."""
        kind, shape = self.kind(node.value), called.values.get("shape")
        shape = shape if isinstance(shape, tuple) else (shape,)
        if not isinstance(kind, ArrayOf) or not all(isinstance(length, int) for length in shape):
            raise self.rejection("wp.zeros", node)
        if name not in self.scope.constant or name not in self.scope.declared_at.get(node, ()):
            raise self.rejection("an array that is assigned more than once", node)
        own = self.signature.rename(name)
        size = " * ".join(map(str, shape))
        self.line(f"{self.helpers.type(kind.element)} {own}[{size}] = {{}};")
        self.arrays[name] = Array(kind, own, tuple(map(str, shape)), "")

    def _assign_array(self, node: ast.Assign, name: str) -> None:
        made = next((one for one in self.typed.calls.get(node.value, ()) if one.name == "zeros"), None)
        if made is not None:
            self._make_array(node, name, made)
            return
        array = self.array(node.value)
        if name not in self.scope.constant or name not in self.scope.declared_at.get(node, ()):
            raise self.rejection("an array that is assigned more than once", node)
        if isinstance(node.value, (ast.Name, ast.Attribute)):
            self.arrays[name] = array
            return
        const = "const " if array.root and array.root not in self.signature.written else ""
        own = self.signature.rename(name)
        self.line(f"{const}{self.helpers.type(array.kind.element)} *{own} = {array.pointer};")
        self.arrays[name] = Array(array.kind, own, array.dims, array.root, array.skipped)

    def _unpack(self, node: ast.Assign, target: ast.Tuple) -> None:
        if node is self.tid:
            return
        names = [one.id for one in target.elts if isinstance(one, ast.Name)]
        if len(names) < len(target.elts):
            raise self.rejection("a tuple of other than names", node)
        if isinstance(node.value, ast.Tuple):
            self._assign_together(node, names, node.value)
        elif isinstance(node.value, ast.Call):
            self._take_results(node, names, node.value)
        else:
            raise self.rejection("a tuple as a value", node)

    def _assign_together(self, node: ast.Assign, names: Sequence[str], values: ast.Tuple) -> None:
        codes = [self.expr(value) for value in values.elts]
        read = [{n.id for n in ast.walk(value) if isinstance(n, ast.Name)} for value in values.elts]
        for place, name in enumerate(names):
            if any(name in later for later in read[place + 1 :]):
                fresh = self.signature.fresh(f"old_{name}")
                self.line(f"const {self.helpers.type(codes[place].kind)} {fresh} = {codes[place].text};")
                codes[place] = Code(fresh, codes[place].kind)
        for name, code in zip(names, codes, strict=True):
            if name in self.scope.loaded:
                self.line(f"{self._target(name, code.kind, node)} = {code.text};")

    def _take_results(self, node: ast.Assign, names: Sequence[str], value: ast.Call) -> None:
        called = next((one for one in self.typed.calls.get(value, ()) if one.name not in ("load", "copy")), None)
        if called is not None and called.name == "quat_to_axis_angle":
            self._axis_angle(node, names, called)
            return
        if called is None or called.function is None or len(called.function.returns) != len(names):
            raise self.rejection(f"several results of wp.{called.name if called else '?'}", node)
        self._declare_results(node, names, called.function.returns)
        outputs = tuple(map(self.signature.rename, names))
        self.alone = value
        self.line(f"{self.function_call(value, called, outputs).text};")

    def _declare_results(self, node: ast.Assign, names: Sequence[str], kinds: Sequence[Kind]) -> None:
        for name, kind in zip(names, kinds, strict=True):
            if name in self.scope.declared_at.get(node, ()):
                self.line(f"{self.helpers.type(kind)} {self.signature.rename(name)};")

    def _axis_angle(self, node: ast.Assign, names: Sequence[str], called: Called) -> None:
        (q,) = self.arguments(called)
        number = number_of(q.kind)
        self._declare_results(node, names, (vector(3, number), number))
        self.helpers.need("quat_to_axis_angle", q.kind)
        self.line(f"quat_to_axis_angle({q.text}, {', '.join(map(self.signature.rename, names))});")

    def _store(self, target: ast.expr, value: Code, node: ast.stmt) -> None:
        if isinstance(target, ast.Subscript) and self._is_row(target):
            base = self.place(target.value, stores=True)
            assert isinstance(base.kind, Block)
            self.helpers.need("set_row", base.kind)
            index = self.wrapped(self.expr(target.slice), base.kind.shape[0])
            self.line(f"set_row({base.text}, {index}, {value.text});")
            return
        kind = self.kind(target)
        if isinstance(kind, ArrayOf):
            raise self.rejection("an array that is stored", node)
        if isinstance(kind, Number) and isinstance(value.kind, Block):
            raise self.rejection("a slice", node)
        self.line(f"{self.place(target, stores=True).text} = {value.text};")

    def _is_row(self, target: ast.Subscript) -> bool:
        kind = self.kind(target.value)
        return is_matrix(kind) and not isinstance(target.slice, (ast.Tuple, ast.Slice))

    # --- augmented assignments --------------------------------------------------------------------------

    def _augmented(self, node: ast.AugAssign) -> None:
        if self.calls_function(node):
            raise self.rejection("an operator of the kernel's own", node)
        name = operator_name(node.op)
        if isinstance(node.target, ast.Name):
            target = self.expr(node.target)
        elif isinstance(node.target, ast.Subscript) and self._is_row(node.target):
            value = binary_op(self.helpers, name, self.expr(node.target), self.expr(node.value), self.kind(node.target))
            self._store(node.target, value, node)
            return
        else:
            target = self.place(node.target, stores=True)
            if self._in_array(node.target) and self._atomic_word(node.op, target.kind):
                word = self._atomic_word(node.op, target.kind)
                self.line(f"{atomic(self.helpers, word, target, self.expr(node.value)).text};")
                return
        value = self.expr(node.value)
        symbol = updates_in_place(name, target.kind, value.kind)
        if symbol:
            self.line(f"{target.text} {symbol} {value.text};")
        else:
            result = binary_op(self.helpers, name, target, value, target.kind)
            self.line(f"{target.text} = {result.text};")

    def _in_array(self, node: ast.expr) -> bool:
        while isinstance(node, (ast.Subscript, ast.Attribute)):
            if isinstance(node, ast.Subscript) and isinstance(self.kind(node.value), ArrayOf):
                return True
            node = node.value
        return False

    def _atomic_word(self, operator: ast.operator, kind: Kind) -> str:
        word = _ATOMIC.get(type(operator), "")
        number = number_of(kind).name
        fits = number in _ATOMIC_INTS or (number in _ATOMIC_FLOATS and word in ("add", "sub"))
        return word if fits else ""

    # --- control ----------------------------------------------------------------------------------------

    def _if(self, node: ast.If) -> None:
        value = self.constant(node.test)
        if value is not None and not self.varies(node.test):
            self.block(node.body if value else node.orelse)
            return
        head = f"if ({self._test(node.test, again=False)})"
        braces = self._needs_braces(node)
        self._branch(head, node.body, braces)
        orelse = node.orelse
        while len(orelse) == 1 and isinstance(orelse[0], ast.If) and self._plain_elif(orelse[0]):
            inner = orelse[0]
            at = len(self.lines)
            test = self._test(inner.test)
            if len(self.lines) > at:
                raise self.rejection("an effect inside a condition", inner)
            self._branch(f"else if ({test})", inner.body, braces)
            orelse = inner.orelse
        if orelse:
            self._branch("else", orelse, braces)

    def _plain_elif(self, node: ast.If) -> bool:
        constant = self.constant(node.test) is not None and not self.varies(node.test)
        return not constant and not self.scope.declared_before.get(node)

    def _needs_braces(self, node: ast.If) -> bool:
        """Say whether a branch of a conditional is more than one line."""
        return True

    def _branch(self, head: str, statements: Sequence[ast.stmt], braces: bool) -> None:
        joined = head.startswith("else") and self.lines and self.lines[-1] == f"{self.indent}}}"
        if joined:
            self.lines.pop()
            head = f"}} {head}"
        self.line(f"{head} {{")
        self._inner(statements)
        self.line("}")

    def _inner(self, statements: Sequence[ast.stmt]) -> None:
        self.indent += "  "
        self.block(statements)
        self.indent = self.indent[:-2]

    def _test(self, node: ast.expr, again: bool = True) -> str:
        """Return a condition; ``again`` if nothing can be pulled out before it."""
        self.conditional += again
        code = truth(self.expr(node))
        self.conditional -= again
        return code.text

    def _while(self, node: ast.While) -> None:
        self.line(f"while ({self._test(node.test)}) {{")
        self.loops += 1
        self._inner(node.body)
        self.loops -= 1
        self.line("}")

    def _for(self, node: ast.For) -> None:
        if not isinstance(node.target, ast.Name) or node.orelse:
            raise self.rejection("a loop of its own kind", node)
        if not (
            isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name) and node.iter.func.id == "range"
        ):
            raise self.rejection(f"a loop over {ast.unparse(node.iter)[:40]}", node)
        if node.iter.keywords or not 1 <= len(node.iter.args) <= 3:
            raise self.rejection("a range of its own kind", node)
        limits = [self.constant(one) if not self.varies(one) else None for one in node.iter.args]
        if all(isinstance(limit, int) for limit in limits) and not range(*limits):  # type: ignore[arg-type]
            return  # Warp has not looked into it
        name = self.signature.rename(node.target.id)
        hoisted = node in self.scope.hoisted
        counter = self.signature.fresh(f"{name}_next") if hoisted else name
        if counts_up(node) and not hoisted:
            self.signature.counters.add(name)
        self.line(f"{loop_head(self, node, counter)} {{")
        self.indent += "  "
        if hoisted:
            self.line(f"{name} = {counter};")
        self.loops += 1
        self.block(node.body)
        self.loops -= 1
        self.indent = self.indent[:-2]
        self.line("}")

    def _return(self, node: ast.Return) -> None:
        if not self.signature.returns:
            if self.leaves == "continue;" and self.loops:
                raise self.rejection("a return inside a loop of a grid-stride kernel", node)
            self.line(self.leaves)
            return
        assert node.value is not None
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        if len(self.signature.returns) == 1:
            code = self.expr(values[0])
            self.line(f"return {code.text};")
            return
        if len(values) != len(self.signature.returns):
            raise self.rejection("a tuple as a value", node)
        for place, value in enumerate(values):
            self.line(f"out{place} = {self.expr(value).text};")
        self.line("return;")

    def _expression(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        if not isinstance(node.value, ast.Call):
            raise self.rejection("an expression without use", node)
        called = next(iter(self.typed.calls.get(node.value, ())), None)
        if called is not None and called.name == "quat_to_axis_angle":
            q, axis, angle = self.arguments(called)
            self.helpers.need("quat_to_axis_angle", q.kind)
            self.line(f"quat_to_axis_angle({q.text}, {axis.text}, {angle.text});")
            return
        if called is not None and called.name.startswith("transform_set_"):
            target, value = node.value.args
            field = "p" if called.name.endswith("translation") else "q"
            self.line(f"{self.place(target, stores=True).inside(13)}.{field} = {self.expr(value).text};")
            return
        self.alone = node.value
        self.line(f"{self.expr(node.value).text};")


def _bases(node: ast.expr) -> set[str]:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def names_in(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Yield the names in some nodes."""
    return (inner.id for node in nodes for inner in ast.walk(node) if isinstance(inner, ast.Name))
