"""Element-wise work: one cell of 1 to 3 dimensions per thread, and records of several numbers per cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..author import Arr, Author, Scope
from ..program import Field, Name
from ..terms import Like, Term, number
from ..types import DOUBLE, FLOAT, INT, Scalar, Struct, Value, vec
from .coefficients import coefficient
from .gates import gate
from .steps import varied

Spec = Mapping[str, tuple[str, Scalar]]
_WORDS = {
    1: (("i|tid|idx|n|e",),),
    2: (("i", "j"), ("row", "col"), ("y", "x"), ("b", "n")),
    3: (("i", "j", "k"), ("b", "c", "n"), ("z", "y", "x")),
}


class Cells:
    """The cells of arrays of one shape; the first array declared opens the kernel with its gate.

    Args:
        k: the kernel, before its thread indices.
        most: the largest number of dimensions.

    Attributes:
        place: the cell's index, or indices.
        first: the first of the indices; 0 is the smallest.
    """

    def __init__(self, k: Author, most: int = 3) -> None:
        self._k = k
        weights = {"line": 6, "plane": 2, "block": 1, "flattened": 1}
        ways = {way: weight for way, weight in weights.items() if most > 1 or way == "line"}
        if most == 2:
            ways.pop("block")
        self.way = k.c.weighted(ways)
        self.ndim = {"plane": 2, "block": 3}.get(self.way, 1)
        launch = 2 if self.way == "flattened" else self.ndim
        tid = k.tid(*k.c.pick(_WORDS[launch]))
        self.tid: tuple[Term, ...] = tid if isinstance(tid, tuple) else (tid,)
        self.first = self.tid[0]
        self.place: Like = tid
        self._open = False

    def input(self, words: str, dtype: Value) -> Arr:
        """Declare an array the kernel reads."""
        return self._opened(self._k.input(words, dtype, self.ndim))

    def inout(self, words: str, dtype: Value) -> Arr:
        """Declare an array the kernel reads and writes."""
        return self._opened(self._k.inout(words, dtype, self.ndim))

    def output(self, words: str, dtype: Value) -> Arr:
        """Declare an array the kernel writes."""
        return self._opened(self._k.output(words, dtype, self.ndim))

    def number(self) -> Term:
        """Return a number that tells the cell from others: an index, or a sum of them."""
        if isinstance(self.place, Term):
            return self.place
        whole = self.tid[0]
        for index in self.tid[1:]:
            whole = whole * self._k.c.pick((1024, 4096, 131)) + index
        return self._k.let("cell|flat|counter|linear", whole)  # type: ignore[no-any-return]

    def _opened(self, array: Arr) -> Arr:
        if self._open:
            return array
        self._open = True
        k = self._k
        if self.way == "line":
            self.place = self.first = gate(k, self.tid[0], array.shape(0))
        elif self.way == "flattened":
            flat = k.let("flat|idx|cell|linear", self.tid[0] * k.scalar("width|cols|pitch", INT) + self.tid[1])
            with k.if_(flat >= array.shape(0)):
                k.leave()
            self.place = flat
        elif k.c.chance(1, 2):
            for axis, index in enumerate(self.tid):
                with k.if_(index >= array.shape(axis)):
                    k.leave()
        return array


def records(k: Author, cells: Cells, spec: Spec, struct: str, table: str) -> dict[str, Term]:
    """Return the numbers of the thread's record: from arrays, an array of structs, columns or vectors.

    Args:
        k: the kernel.
        cells: where the records lie.
        spec: what each number is called (alternatives) and its type, by key.
        struct: alternatives for the name of the struct.
        table: alternatives for the name of the one array.
    """
    types = [type_ for _, type_ in spec.values()]
    alike = len(spec) > 1 and all(type_ is types[0] for type_ in types)
    weights = {"arrays": 4, "struct": 2}
    if alike and cells.way == "line":
        weights["columns"] = 1
    if alike and len(spec) <= 4 and types[0].is_float:
        weights["vector"] = 1
    way = k.c.weighted(weights)
    if way == "arrays":
        found = {}
        for key, (words, type_) in spec.items():
            array = cells.input(words, type_)
            found[key] = array[cells.place]
    elif way == "struct":
        made = k.struct(struct, dict(spec.values()))
        base = cells.input(table, made)[cells.place]
        base = k.let("rec|entry|cur|this", base) if k.c.chance(1, 2) else base
        found = {key: Term(Field(base.e, *field)) for key, field in zip(spec, made.fields, strict=True)}
    elif way == "columns":
        array = cells._opened(k.input(table, types[0], 2))
        found = {key: array[cells.place, number] for number, key in enumerate(spec)}
    else:
        packed = k.let("packed|p4|rec|entry", cells.input(table, vec(len(spec), types[0]))[cells.place])
        found = {key: packed[number] for number, key in enumerate(spec)}
    return {
        key: k.let(spec[key][0], value) if way != "arrays" or k.c.chance(1, 2) else value
        for key, value in found.items()
    }


def settings(k: Author, spec: Mapping[str, tuple[str, float]], type_: Scalar = FLOAT) -> dict[str, Term]:
    """Return the settings of an algorithm: arguments, constants, numbers, or the fields of one struct.

    Args:
        k: the kernel.
        spec: what each setting is called (alternatives) and a usual value, by key.
        type_: their type.
    """
    c = k.c
    if len(spec) > 1 and c.chance(1, 4):
        struct: Struct = k.struct("Config|Params|Settings|Options", {words: type_ for words, _ in spec.values()})
        given = k.scalar("cfg|params|opts|conf", struct)
        return {key: Term(Field(given.e, *field)) for key, field in zip(spec, struct.fields, strict=True)}
    if len(spec) > 1 and c.chance(1, 8):
        table = k.input("settings|hyper|params|coeffs", type_)
        return {key: k.let(words, table[place]) for place, (key, (words, _)) in enumerate(spec.items())}
    return {key: setting(k, words, value, type_) for key, (words, value) in spec.items()}


def setting(k: Author, words: str, value: float, type_: Scalar = FLOAT) -> Term:
    """Return one setting: an argument, a constant of the module, or a number near ``value``."""
    near = value * k.c.pick((1.0, 0.5, 1.5, 0.8, 1.2)) if 0.0 < value < 1.0 else value
    near = min(near, 0.9999) if value < 1.0 else near
    way = k.c.weighted({"argument": 3, "literal": 2, "constant": 2})
    if way == "argument":
        return k.scalar(words, type_)
    if way == "constant":
        return k.constant(words.upper(), near, type_)
    return number(near, type_)


def precise(k: Author) -> Scalar:
    """Return a float type of 32 bits or more."""
    return k.c.weighted({FLOAT: 7, DOUBLE: 2})


def local(k: Scope, words: str, value: Term) -> Term:
    """Return a value in a local of its own."""
    made: Term = k.let(words, value)
    return made


def settled(k: Scope, value: Term, low: int = 0, high: int = 2, words: str = "res|val|y0|final|total_v|kept") -> Term:
    """Return the value after ``low`` to ``high`` steps, in a local that may be stored and counted."""
    value = varied(k, value, low, high)
    return value if isinstance(value.e, Name) else local(k, words, value)


class Change:
    """The same steps wherever it is applied; ``words`` says of values what was done to them, with a space after."""

    def __init__(self, apply: Callable[[Term], Term], words: str) -> None:
        self._apply, self.words = apply, words

    def __call__(self, value: Term) -> Term:
        return self._apply(value)


def transform(k: Author, words: str, type_: Scalar, high: int = 2) -> Change:
    """Return a change of values drawn once: none, a factor, or a function of 1 to ``high`` steps."""
    way = k.c.weighted({"none": 2, "scale": 1, "function": 3})
    if way == "none":
        return Change(lambda value: value, "")
    if way == "scale":
        factor = coefficient(k, type_)
        return Change(lambda value: value * factor, "scaled ")
    made = k.function(words, {"v|x|t|a": type_}, lambda s, v: varied(s, v, 1, high))
    return Change(made, "transformed ")
