"""Statements: from a typed syntax tree to C++."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..codegen.arguments import ArrayOf
from ..codegen.typed import TypedFunction
from .assignments import Assignments
from .loops import counts_up, loop_head
from .scalars import truth
from .scope import scope_of
from .signatures import Signature
from .unit import Unit


class Statements(Assignments):
    """Prints the body of one function."""

    def __init__(self, unit: Unit, typed: TypedFunction, signature: Signature) -> None:
        super().__init__(unit, typed, signature)
        self.leaves = "return;"  # how a kernel ends for one place of its grid
        self.loops = 0
        self.array_names = {
            node.id for node, kind in typed.kinds.items() if isinstance(kind, ArrayOf) and isinstance(node, ast.Name)
        }

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Print the statements of the function."""
        kept = list(statements)
        known = self.unit.scopes.get(id(self.typed))
        if known is None:
            known = self.unit.scopes[id(self.typed)] = scope_of(self.typed.node, kept)
            known.constant -= self._changed()
        self.scope = known
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
            self.declare_empty(name, node)
        head = node.test if isinstance(node, (ast.If, ast.While)) else node.iter if isinstance(node, ast.For) else node
        self.sequenced = self.count_effects(head) > 1
        self.alone = None
        match node:
            case ast.Assign() if len(node.targets) == 1:
                self.assign(node)
            case ast.AugAssign():
                self.augmented(node)
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
            raise self.rejection("a loop that never runs", node)  # Warp has not looked into it
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
