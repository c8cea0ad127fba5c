"""One walk over a kernel source's AST that gives its code tokens with its own names replaced by codes.

The walk has its own table of node types and never calls ``ast.dump`` or ``ast.unparse``, whose text
changes between Python versions. It writes the tokens in the order of the source, with the fewest
parentheses that keep the meaning. So two sources give the same tokens if and only if they differ in no
more than white space, comments, docstrings, redundant parentheses, spelling of literals, imports and
names of their own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from .expressions import VISITORS, Expressions
from .operators import OPERATORS
from .snippets import native_snippets

NEWLINE, INDENT, DEDENT = "\n", "\n>", "\n<"
LAYOUT = (NEWLINE, INDENT, DEDENT)

_AUGMENTED = {operator: text + "=" for operator, text in OPERATORS.items()}


class Walk(Expressions):
    """The tokens of one source.

    Attributes:
        tokens: keywords, operators, literals, attributes, builtins and layout (:data:`LAYOUT`) as they are;
            ``@module`` for what an import bound; and for every name of the source's own a code ``$n``,
            numbered by first appearance.
        names: the name each code stands for. A name in two scopes has two codes.
        numbers: positions in ``tokens`` of the numeric literals.
        signs: positions in ``tokens`` of the signs directly before a numeric literal.
    """

    def __init__(self, tree: ast.AST) -> None:
        super().__init__()
        self.visit(tree)

    def _top(self, node: ast.Module) -> None:
        self._snippets = native_snippets(node)
        self._statements(node.body)

    def _statements(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            VISITORS.get(type(statement), Expressions._other)(self, statement)

    def _block(self, body: Sequence[ast.stmt]) -> None:
        self._emit(":")
        self._emit(INDENT)
        self._statements(body)
        self._emit(DEDENT)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        # What an import binds stands for the thing imported, whatever the source calls it.
        origin = f"{node.module or ''}." if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            whole = origin + alias.name
            if not origin and alias.asname is None:
                whole = whole.partition(".")[0]
            bound = alias.asname or whole[len(origin) :]
            self._scope[bound] = f"@{whole}"
            self.names[f"@{whole}"] = bound

    def _expression(self, node: ast.Expr) -> None:
        value = node.value
        if type(value) is ast.Constant and type(value.value) is str:
            return  # a docstring, or a string that does as little
        self.bare(value)
        self._emit(NEWLINE)

    def _assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self.bare(target)
            self._emit("=")
        self.bare(node.value)
        self._emit(NEWLINE)

    def _aug_assign(self, node: ast.AugAssign) -> None:
        self.visit(node.target)
        self._emit(_AUGMENTED[type(node.op)])
        self.bare(node.value)
        self._emit(NEWLINE)

    def _ann_assign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        self._emit(":")
        self.visit(node.annotation)
        if node.value is not None:
            self._emit("=")
            self.bare(node.value)
        self._emit(NEWLINE)

    def _return(self, node: ast.Return) -> None:
        self._emit("return")
        if node.value is not None:
            self.bare(node.value)
        self._emit(NEWLINE)

    def _word(self, node: ast.Pass | ast.Break | ast.Continue) -> None:
        self._emit(type(node).__name__.lower())
        self._emit(NEWLINE)

    def _if(self, node: ast.If, keyword: str = "if") -> None:
        self._emit(keyword)
        self.visit(node.test)
        self._block(node.body)
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            self._if(node.orelse[0], "elif")
        else:
            self._else(node.orelse)

    def _else(self, body: Sequence[ast.stmt]) -> None:
        if body:
            self._emit("else")
            self._block(body)

    def _for(self, node: ast.For) -> None:
        self._emit("for")
        self.bare(node.target)
        self._emit("in")
        self.bare(node.iter)
        self._block(node.body)
        self._else(node.orelse)

    def _while(self, node: ast.While) -> None:
        self._emit("while")
        self.visit(node.test)
        self._block(node.body)
        self._else(node.orelse)

    def _decorators(self, decorators: Iterable[ast.expr]) -> None:
        for decorator in decorators:
            self._emit("@")
            self.visit(decorator)
            self._emit(NEWLINE)

    def _function(self, node: ast.FunctionDef) -> None:
        self._decorators(node.decorator_list)
        self._emit("def")
        self._emit(self.bind(node.name))
        outer = self._scope
        self._scope = {} if outer is self._module or outer is self._fields else dict(outer)
        self._emit("(")
        self._arguments(node.args)
        self._emit(")")
        self._parameters[node.name] = dict(self._scope)
        if node.returns is not None:
            self._emit("->")
            self.visit(node.returns)
        self._block(node.body)
        self._scope = outer

    def _lambda(self, node: ast.Lambda) -> None:
        outer, self._scope = self._scope, dict(self._scope)
        self._emit("lambda")
        self._arguments(node.args)
        self._emit(":")
        self.visit(node.body)
        self._scope = outer

    def _arguments(self, node: ast.arguments) -> None:
        positional = [*node.posonlyargs, *node.args]
        defaults = [None] * (len(positional) - len(node.defaults)) + list(node.defaults)
        for place, (argument, default) in enumerate(zip(positional, defaults, strict=True), start=1):
            self._argument(argument, default)
            if place == len(node.posonlyargs):
                self._emit("/")
                self._emit(",")
        if node.vararg is not None or node.kwonlyargs:
            self._emit("*")
            self._argument(node.vararg, None)
        for argument, default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
            self._argument(argument, default)
        if node.kwarg is not None:
            self._emit("**")
            self._argument(node.kwarg, None)
        if self.tokens[-1] == ",":
            self.tokens.pop()

    def _argument(self, node: ast.arg | None, default: ast.expr | None) -> None:
        if node is not None:
            code = self._scope[node.arg] = self.new_code(node.arg)
            self._emit(code)
            if node.annotation is not None:
                self._emit(":")
                self.visit(node.annotation)
            if default is not None:
                self._emit("=")
                self.visit(default)
        self._emit(",")

    def _class(self, node: ast.ClassDef) -> None:
        self._decorators(node.decorator_list)
        self._emit("class")
        self._emit(self.bind(node.name))
        if node.bases or node.keywords:
            self._emit("(")
            self.call_list(node.bases, node.keywords, {})
            self._emit(")")
        # A field's name is the source's own; it comes back as an attribute or a keyword.
        outer, self._scope = self._scope, self._fields
        self._block(node.body)
        self._scope = outer


VISITORS.update(
    {
        ast.Module: Walk._top,
        ast.Import: Walk._import,
        ast.ImportFrom: Walk._import,
        ast.Expr: Walk._expression,
        ast.Assign: Walk._assign,
        ast.AugAssign: Walk._aug_assign,
        ast.AnnAssign: Walk._ann_assign,
        ast.Return: Walk._return,
        ast.Pass: Walk._word,
        ast.Break: Walk._word,
        ast.Continue: Walk._word,
        ast.If: Walk._if,
        ast.For: Walk._for,
        ast.While: Walk._while,
        ast.FunctionDef: Walk._function,
        ast.ClassDef: Walk._class,
        ast.Lambda: Walk._lambda,
    }
)
