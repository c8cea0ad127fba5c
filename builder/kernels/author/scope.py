"""What a kernel or a function adds to the module: constants, structs, functions, native snippets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..draft import Draft, Local
from ..program import Arg, Constant, Function, Give, Items, Name, Part, Put, Snippet, Static, Stmt, Word
from ..terms import Like, Term, lift, number
from ..types import DOUBLE, FLOAT, HALF, INT, Array, Scalar, Several, Struct, Value
from .locals import Arr, Callee
from .statements import Statements

Body = Callable[..., Any]


class Scope(Statements):
    """A kernel or a function being written, and the parts of the module that it may add to."""

    def real(self) -> Scalar:
        """Return a float type: float32 mostly, sometimes float64, seldom float16."""
        return self.c.weighted({FLOAT: 7, DOUBLE: 2, HALF: 1})

    def constant(self, words: str, value: float, type_: Scalar | None = None) -> Term:
        """Add a named constant to the module (by one of two ways to write it); return it."""
        like = type_ or (FLOAT if isinstance(value, float) else INT)
        name = self.module.word(words)
        self.draft.names.claim(name)
        self.module.constants.append(Constant(name, number(value, like).e, self.c.chance(1, 2)))
        return Term(Name(name, like, value))

    def static(self, value: Term) -> Term:
        """Return ``wp.static(value)``; the value may hold literals and constants only."""
        return Term(Static(value.e))

    def struct(self, words: str, fields: Mapping[str, Value]) -> Struct:
        """Add a ``@wp.struct`` to the module; field names may be alternatives."""
        names = [self.c.pick(tuple(field.split("|"))) for field in fields]
        struct = Struct(self.module.word(words), tuple(zip(names, fields.values(), strict=True)))
        self.module.structs.append(struct)
        return struct

    def function(
        self,
        words: str,
        params: Mapping[str, Value],
        body: Body,
        *,
        doc: str = "",
        overloads: Callee | None = None,
        gradient: Body | None = None,
        replay: Body | None = None,
        generic: tuple[str, ...] = (),
        returns: bool = False,
        defaults: tuple[Term, ...] = (),
    ) -> Callee:
        """Add a ``@wp.func``; ``body(scope, *params)`` writes it and returns its value (or gives it by ``give``).

        Args:
            words: alternatives for its name.
            params: type of each parameter by (alternatives for) its name.
            body: writes the statements.
            doc: its docstring.
            overloads: a function whose name it takes.
            gradient: ``gradient(scope, *params, *adjoints of the results)`` writes its ``@wp.func_grad``, which
                adds to the adjoints of the parameters (:meth:`FunctionScope.add_adjoint`).
            replay: ``replay(scope, *params)`` writes its ``@wp.func_replay``.
            generic: the names in ``params`` whose type is written as ``Any``.
            returns: whether the type of the result is written.
            defaults: values of the last parameters, which a call may leave out.
        """
        name = overloads.name if overloads else self.module.word(words)
        self.draft.names.claim(name)
        inner = FunctionScope(Draft(self.c, self.draft.category, 0), self.module)
        args = inner.params(params, generic)
        inner.finish(body(inner, *(inner._named(arg.name, arg.type) for arg in args)))
        written, given = inner.draft.statements(), tuple(value.e for value in defaults)
        adjoint, again = self._second(args, _results(inner.result), gradient), self._second(args, (), replay)
        made = Function(name, args, inner.result, written, None, doc, adjoint, again, returns, given)
        self.module.functions.append(made)
        return Callee(name, inner.result, len(args), len(defaults))

    def _second(self, args: tuple[Arg, ...], more: tuple[Arg, ...], body: Body | None) -> tuple[Stmt, ...]:
        """Return the statements of a function's gradient or replay, which has the function's parameters."""
        if body is None:
            return ()
        inner = FunctionScope(Draft(self.c, self.draft.category, 0), self.module)
        for arg in (*args, *more):
            inner.draft.names.claim(arg.name)
        inner.finish(body(inner, *(inner._named(arg.name, arg.type) for arg in (*args, *more))))
        return inner.draft.statements()

    def helper(self, words: str, params: Mapping[str, Value], body: Body) -> Callable[..., Term]:
        """Return what computes ``body``: a function of the module, or the same statements in place.

        ``body(scope, *params)`` must return a term and leave by no other way.
        """
        if self.c.chance(1, 2):
            return self.function(words, params, body)
        words_of = tuple(params)

        def in_place(*args: Like, scope: Scope = self) -> Term:
            terms = [scope._kept(word, arg, params[word]) for word, arg in zip(words_of, args, strict=True)]
            made = body(scope, *terms)
            assert isinstance(made, Term)
            return made

        return in_place

    def _kept(self, words: str, value: Like, type_: Value) -> Term:
        """Return a term that may be repeated: a name as it is, anything else in a local of its own."""
        if isinstance(value, Arr):
            return value
        given = lift(value, type_ if isinstance(type_, Scalar) else FLOAT)
        return Term(given) if isinstance(given, Name) else self.let(words, Term(given))

    def native(
        self,
        words: str,
        params: Mapping[str, Value],
        result: Value | None,
        forward: str,
        *,
        adjoint: str = "",
        replay: str = "",
    ) -> Callee:
        """Add a ``@wp.func_native``; ``{name}`` in the snippets stands for the parameter declared as ``name|...``."""
        inner = FunctionScope(Draft(self.c, self.draft.category, 0), self.module)
        name = self.module.word(words)
        self.draft.names.claim(name)
        args = inner.params(params)
        keys = {words.split("|")[0]: arg.name for words, arg in zip(params, args, strict=True)}
        texts = [_filled(text, keys) for text in (forward, adjoint, replay)]
        self.module.functions.append(Function(name, args, result, (), Snippet(*texts)))
        return Callee(name, result, len(args))


def _results(result: Value | None) -> tuple[Arg, ...]:
    """Return the parameters of a gradient that hold the adjoints of the results (as ``render`` writes them)."""
    if isinstance(result, Several):
        return tuple(Arg(f"adj_ret{k}", item) for k, item in enumerate(result.items))
    return () if result is None else (Arg("adj_ret", result),)


def _filled(text: str, names: Mapping[str, str]) -> str:
    for key, name in names.items():
        text = text.replace(f"{{{key}}}", name)
    return text


class FunctionScope(Scope):
    """A ``@wp.func`` being written."""

    def __init__(self, draft: Draft, module: Module) -> None:
        super().__init__(draft, module)
        self.result: Value | None = None

    def add_adjoint(self, param: Term, value: Like) -> None:
        """Emit ``wp.adjoint[param] += value``, in a gradient."""
        self.draft.emit(Put(Part(Word("wp.adjoint", param.type), (param.e,), param.type), lift(value, param.type), "+"))

    def params(self, params: Mapping[str, Value], generic: tuple[str, ...] = ()) -> tuple[Arg, ...]:
        """Declare the parameters; those of ``generic`` have ``Any`` in place of their type."""
        args = tuple(Arg(self.word(words), type_, words in generic) for words, type_ in params.items())
        self.draft.locals += [Local(arg.name, arg.type, uses=1) for arg in args if not isinstance(arg.type, Array)]
        return args

    def give(self, *values: Like) -> None:
        """Emit ``return value`` (or several)."""
        exprs = tuple(lift(value, FLOAT) for value in values)
        result: Value = exprs[0].type if len(exprs) == 1 else Several(tuple(one.type for one in exprs))
        if self.result is not None and self.result != result:
            raise TypeError(f"the function gives {self.result.name}, and here {result.name}")
        self.result = result
        self.draft.emit(Give(exprs[0] if len(exprs) == 1 else Items(exprs, result)))

    def finish(self, value: Any) -> None:
        """Take what the body returned: a term, several, or None after :meth:`give`."""
        if value is not None:
            self.give(*(value if isinstance(value, tuple) else (value,)))


class Module:
    """What stands above the kernel."""

    def __init__(self, draft: Draft) -> None:
        self.constants: list[Constant] = []
        self.structs: list[Struct] = []
        self.functions: list[Function] = []
        self._names = draft.names

    def word(self, words: str) -> str:
        """Return an identifier of the module that no local of the kernel has."""
        return self._names.fresh(tuple(words.split("|")))
