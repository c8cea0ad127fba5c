"""Writing a kernel statement by statement, as a programmer would: what families and categories are written with.

A scope is a kernel or a function being written. Words such as ``"dist|d|r"`` are alternatives for one identifier; the
choices pick one, and no identifier is used twice in a scope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from .choices import Choices
from .draft import Draft, Local
from .grammar import NUMERIC, expr
from .program import (
    Apply,
    Arg,
    Assign,
    Atomic,
    Call,
    Constant,
    Do,
    Each,
    Expr,
    Extent,
    For,
    Function,
    Give,
    If,
    Items,
    Leave,
    LetMany,
    Load,
    Name,
    Option,
    Part,
    Program,
    Put,
    Snippet,
    Static,
    Stmt,
    Store,
    While,
    Word,
)
from .terms import Like, Term, lift, make, number
from .types import DOUBLE, FLOAT, HALF, INT, Array, Scalar, Several, Struct, Tile, Value, scalar_of

Body = Callable[..., Any]


class Var(Term):
    """A local that changes: ``acc += x`` and ``acc.set(x)`` are statements of its scope."""

    __slots__ = ("_scope", "name")

    def __init__(self, scope: Scope, name: str, type_: Value) -> None:
        super().__init__(Name(name, type_))
        self._scope = scope
        self.name = name

    def set(self, value: Like) -> None:
        """Emit ``name = value``."""
        self._assign("", value)

    def _assign(self, symbol: str, value: Like) -> Var:
        self._scope.draft.emit(Assign(self.name, lift(value, self.type), symbol))
        return self

    def __iadd__(self, value: Like) -> Var:
        return self._assign("+", value)

    def __isub__(self, value: Like) -> Var:
        return self._assign("-", value)

    def __imul__(self, value: Like) -> Var:
        return self._assign("*", value)

    def __itruediv__(self, value: Like) -> Var:
        return self._assign("/", value)

    def __ixor__(self, value: Like) -> Var:
        return self._assign("^", value)

    def __ior__(self, value: Like) -> Var:
        return self._assign("|", value)

    def __iand__(self, value: Like) -> Var:
        return self._assign("&", value)


class Arr(Term):
    """An array or a tile by name: ``a[i, j]`` reads an element, ``a[i, j] = v`` stores one, ``a[i]`` may be a view."""

    __slots__ = ("_scope", "name")

    def __init__(self, scope: Scope, name: str, type_: Array | Tile) -> None:
        super().__init__(Name(name, type_))
        self._scope = scope
        self.name = name

    def shape(self, axis: int) -> Term:
        """Return ``name.shape[axis]``."""
        return Term(Extent(self.name, axis))

    def __getitem__(self, index: Like) -> Term:
        places, type_ = _places(index), self.type
        assert isinstance(type_, (Array, Tile))
        ndim = type_.ndim if isinstance(type_, Array) else len(type_.shape)
        kept = ndim - len(places) + sum(isinstance(k, slice) for k in _tuple(index))
        if kept < 0:
            raise TypeError(f"{self.name} has {ndim} dimensions, not {len(places)}")
        if kept and isinstance(type_, Tile):
            raise TypeError(f"give one index for each dimension of the tile {self.name}")
        element = Array(type_.dtype, kept) if kept else type_.dtype
        return Term(Load(self.name, places, element))

    def __setitem__(self, index: Like, value: Like) -> None:
        places, type_ = _places(index), self.type
        assert isinstance(type_, (Array, Tile))
        stored = lift(value, type_.dtype) if not isinstance(value, Term) else value.e
        if stored.type != type_.dtype:
            raise TypeError(f"{self.name} holds {type_.dtype.name}, not {stored.type.name}")
        if isinstance(type_, Tile):
            self._scope.draft.emit(Put(Load(self.name, places, type_.dtype), stored))
        else:
            self._scope.draft.emit(Store(self.name, places, stored))

    def add_at(self, index: Like, value: Like) -> None:
        """Emit ``name[index] += value``, which Warp makes atomic for an array."""
        self._scope.atomic("add", self, index, value, augmented=True)


class Tiled(Arr):
    """A tile by name: elements and slices as of :class:`Arr`, and ``t += u`` are statements of its scope."""

    __slots__ = ()

    def __getitem__(self, index: Like) -> Term:
        type_, given = self.type, _tuple(index)
        assert isinstance(type_, Tile)
        if len(given) > len(type_.shape):
            raise TypeError(f"{self.name} has {len(type_.shape)} dimensions, not {len(given)}")
        lengths = [len(range(n)[k]) for n, k in zip(type_.shape, given, strict=False) if isinstance(k, slice)]
        shape = (*lengths, *type_.shape[len(given) :])
        return Term(Load(self.name, _places(index), Tile(type_.dtype, shape) if shape else type_.dtype))

    def _assign(self, symbol: str, value: Like) -> Tiled:
        given = lift(value, self.type)
        if given.type != self.type:
            raise TypeError(f"{self.name} is {self.type.text}, not {given.type.text}")
        self._scope.draft.emit(Assign(self.name, given, symbol))
        return self

    def set(self, value: Like) -> None:
        """Emit ``name = value``."""
        self._assign("", value)

    def __iadd__(self, value: Like) -> Tiled:
        return self._assign("+", value)

    def __isub__(self, value: Like) -> Tiled:
        return self._assign("-", value)

    def __iand__(self, value: Like) -> Tiled:
        return self._assign("&", value)

    def __ior__(self, value: Like) -> Tiled:
        return self._assign("|", value)

    def __ixor__(self, value: Like) -> Tiled:
        return self._assign("^", value)


def _tuple(index: Like) -> tuple[Like, ...]:
    return index if isinstance(index, tuple) else (index,)


def _places(index: Like) -> tuple[Expr, ...]:
    return tuple(lift(k, INT) for k in _tuple(index))


class Callee:
    """One of the program's own functions: called, it gives a term."""

    def __init__(self, name: str, result: Value | None, count: int, optional: int = 0) -> None:
        self.name, self.result, self._count, self._optional = name, result, count, optional

    def gradient(self) -> Callee:
        """Return ``wp.grad(name)``: the derivative of a function of one parameter and one result."""
        return Callee(f"wp.grad({self.name})", self.result, self._count)

    @property
    def word(self) -> Term:
        """The function itself as an argument; its type is what it gives."""
        assert self.result is not None
        return Term(Word(self.name, self.result))

    def __call__(self, *args: Like) -> Term:
        if not self._count - self._optional <= len(args) <= self._count:
            raise TypeError(f"{self.name} takes {self._count} arguments, not {len(args)}")
        like = next((scalar_of(a.type) for a in args if isinstance(a, Term) and isinstance(a.type, Scalar)), FLOAT)
        given = tuple(lift(arg, like) for arg in args)
        return Term(Call(self.name, given, self.result if self.result is not None else INT))


class Scope:
    """What a kernel and a function have in common: statements, locals, and the module's parts they may add to."""

    def __init__(self, draft: Draft, module: Module) -> None:
        self.draft = draft
        self.c: Choices = draft.choices
        self.module = module

    # --- names and locals ---

    def word(self, words: str) -> str:
        """Return an identifier not yet used in this scope, from alternatives separated by ``|``."""
        return self.draft.names.fresh(tuple(words.split("|")))

    def let(self, words: str, value: Like) -> Any:
        """Emit ``name = value``; return the local: a term, or an :class:`Arr` for a view or a tile.

        A scalar that has a name already, and keeps its value, keeps its name.
        """
        given = lift(value, FLOAT)
        if isinstance(given, Name) and isinstance(given.type, Scalar) and not self._changes(given.name):
            return Term(given)
        local = self.draft.let(given, name=self.word(words))
        local.uses = 1
        return self._named(local.name, local.type)

    def _changes(self, name: str) -> bool:
        return any(local.name == name and local.mutable for local in self.draft.locals)

    def var(self, words: str, value: Like) -> Var:
        """Emit ``name = value`` for a local that later statements change."""
        local = self.draft.let(lift(value, FLOAT), name=self.word(words), mutable=True)
        local.uses = 1
        return Var(self, local.name, local.type)

    def many(self, words: tuple[str, ...], value: Term) -> tuple[Any, ...]:
        """Emit ``a, b = value`` for a value of several; return the locals."""
        types = value.type
        assert isinstance(types, Several)
        names = tuple(map(self.word, words))
        self.draft.emit(LetMany(names, value.e))
        self.draft.locals += [Local(name, type_, uses=1) for name, type_ in zip(names, types.items, strict=True)]
        return tuple(self._named(name, type_) for name, type_ in zip(names, types.items, strict=True))

    def new(self, words: str, struct: Struct) -> Term:
        """Emit ``name = Struct()``; its fields are assigned with :meth:`put`."""
        return Term(Name(self.draft.let(make(struct).e, name=self.word(words)).name, struct))

    def _named(self, name: str, type_: Value) -> Term:
        if isinstance(type_, Tile):
            return Tiled(self, name, type_)
        return Arr(self, name, type_) if isinstance(type_, Array) else Term(Name(name, type_))

    def hole(self, type_: Value, depth: int = 1, families: tuple[str, ...] = NUMERIC) -> Term:
        """Return a random expression of the grammar over what is in scope."""
        return Term(expr(self.draft, type_, depth, families))

    # --- statements ---

    def put(self, target: Term, value: Like, symbol: str = "") -> None:
        """Emit ``target = value`` (``target += value`` with ``+``) for a component, field or element."""
        self.draft.emit(Put(target.e, lift(value, target.type), symbol))  # type: ignore[arg-type]

    def do(self, term: Term, *writes: Arr) -> None:
        """Emit a call for its effect; name the arrays it writes."""
        assert isinstance(term.e, (Apply, Call))
        self.draft.emit(Do(term.e, tuple(array.name for array in writes)))

    def atomic(self, kind: str, array: Arr, index: Like, value: Like, *, augmented: bool = False) -> None:
        """Emit an atomic update; ``kind`` is add, sub, min or max."""
        type_ = array.type
        assert isinstance(type_, Array)
        self.draft.emit(Atomic(kind, array.name, _places(index), lift(value, type_.dtype), augmented))

    @contextmanager
    def if_(self, test: Term) -> Iterator[None]:
        """Write the body of ``if test:``."""
        with self.draft.block() as body:
            yield
        self.draft.emit(If(((test.e, tuple(body)),)))

    @contextmanager
    def elif_(self, test: Term) -> Iterator[None]:
        """Write the next arm of the branch just written."""
        before = self._last_branch()
        with self.draft.block() as body:
            yield
        self.draft.emit(If((*before.arms, (test.e, tuple(body)))))

    @contextmanager
    def else_(self) -> Iterator[None]:
        """Write the last arm of the branch just written."""
        before = self._last_branch()
        with self.draft.block() as body:
            yield
        self.draft.emit(If(before.arms, tuple(body)))

    def _last_branch(self) -> If:
        last = self.draft.take_last()
        if not isinstance(last, If) or last.otherwise:
            raise ValueError("elif_ and else_ come right after if_ or elif_")
        return last

    @contextmanager
    def for_(self, words: str, *bounds: Like, step: int = 1) -> Iterator[Term]:
        """Write the body of ``for name in range(stop)`` or ``range(start, stop, step)``; gives the counter."""
        start, stop = (None, bounds[0]) if len(bounds) == 1 else bounds
        with self.draft.block() as body:
            name = self.word(words)
            self.draft.locals.append(Local(name, INT, uses=1, index=True))
            yield Term(Name(name, INT))
        first = None if start is None else lift(start, INT)
        self.draft.emit(For(name, lift(stop, INT), tuple(body), first, step))

    @contextmanager
    def each(self, words: str, query: Term, type_: Value = INT) -> Iterator[Term]:
        """Write the body of ``for name in query``."""
        with self.draft.block() as body:
            name = self.word(words)
            self.draft.locals.append(Local(name, type_, uses=1, index=True))
            yield Term(Name(name, type_))
        self.draft.emit(Each(name, query.e, tuple(body)))

    @contextmanager
    def while_(self, test: Term) -> Iterator[None]:
        """Write the body of ``while test``."""
        with self.draft.block() as body:
            yield
        self.draft.emit(While(test.e, tuple(body)))

    def leave(self, word: str = "return") -> None:
        """Emit ``return``, ``break`` or ``continue``."""
        self.draft.emit(Leave(word))

    # --- the module ---

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
        made = Function(
            name,
            args,
            inner.result,
            inner.draft.statements(),
            doc=doc,
            gradient=self._second(args, _results(inner.result), gradient),
            replay=self._second(args, (), replay),
            returns=returns,
            defaults=tuple(value.e for value in defaults),
        )
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


class Author(Scope):
    """The kernel being written.

    Args:
        choices: where decisions come from.
        category: the kernel's category.
        family: the algorithm family, or nothing.
    """

    def __init__(self, choices: Choices, category: str, family: str = "") -> None:
        draft = Draft(choices, category, 0)
        super().__init__(draft, Module(draft))
        self._family = family
        self._name = self._summary = self._doc = ""
        self._options: dict[str, Option] = {}
        self._ndim = 0
        self._generic: tuple[str, ...] = ()
        self._tiled = False

    @property
    def scalar_count(self) -> int:
        """How many arguments are passed by value so far."""
        return self.draft.scalar_count

    # --- what it is ---

    def name(self, words: str) -> None:
        """Name the kernel, from alternatives."""
        self._name = self.word(words)

    def summary(self, text: str) -> None:
        """Say in one true sentence what the kernel computes."""
        self._summary = text

    def doc(self, text: str) -> None:
        """Give the kernel a docstring."""
        self._doc = text

    def option(self, name: str, value: Option) -> None:
        """Set an argument of ``@wp.kernel``."""
        self._options[name] = value

    # --- arguments and threads ---

    def tid(self, *words: str) -> Any:
        """Emit ``i, j = wp.tid()`` as the first statement; return the indices, one alone as it is."""
        self.draft.tid = tuple(map(self.word, words))
        self.draft.locals += [Local(name, INT, uses=1, index=True) for name in self.draft.tid]
        terms = tuple(Term(Name(name, INT)) for name in self.draft.tid)
        return terms if len(terms) > 1 else terms[0]

    def blocks(self, *words: str) -> Any:
        """Emit ``i, j = wp.tid()`` for a kernel that ``wp.launch_tiled`` starts: one block of threads for each index.

        With one word more than the launch has dimensions the last is the thread's place in its block.
        """
        self._tiled = True
        return self.tid(*words)

    def launch(self, ndim: int) -> None:
        """Say how many dimensions the launch has, for a kernel that does not ask for its thread index."""
        self._ndim = ndim

    def input(self, words: str, dtype: Value, ndim: int = 1, *, kind: str = "array") -> Arr:
        """Declare an array the kernel reads."""
        return self._array(self.draft.inputs_named, words, dtype, ndim, kind)

    def output(self, words: str, dtype: Value, ndim: int = 1) -> Arr:
        """Declare an array the kernel writes."""
        return self._array(self.draft.outputs, words, dtype, ndim, "array")

    def inout(self, words: str, dtype: Value, ndim: int = 1) -> Arr:
        """Declare an array the kernel reads and writes."""
        return self._array(self.draft.outputs, words, dtype, ndim, "array")

    def _array(self, into: list[Arg], words: str, dtype: Value, ndim: int, kind: str) -> Arr:
        type_ = Array(dtype, ndim, kind)
        arg = Arg(self.word(words), type_)
        into.append(arg)
        return Arr(self, arg.name, type_)

    def scalar(self, words: str, type_: Value) -> Term:
        """Declare an argument passed by value: a scalar, a vector, a struct, the id of a mesh."""
        local = self.draft.scalar(type_, name=self.word(words))
        local.uses = 1
        return Term(Name(local.name, type_))

    def generic(self, *args: Term) -> None:
        """Write ``Any`` in place of these arguments' types (or their elements'); ``wp.overload`` gives the types."""
        self._generic += tuple(arg.e.name for arg in args if isinstance(arg.e, Name))

    def program(self) -> Program:
        """Return the finished program."""
        made = self.draft.program()
        args = tuple(replace(arg, generic=arg.name in self._generic) for arg in made.args)
        return Program(
            made.category,
            self._name,
            args,
            made.tid,
            made.body,
            tuple(self._options.items()),
            tuple(self.module.constants),
            tuple(self.module.structs),
            tuple(self.module.functions),
            self._doc,
            self._family,
            self._summary,
            self._ndim,
            bool(self._generic),
            self._tiled,
        )
