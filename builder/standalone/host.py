"""The host side of a program: arguments made, copied, passed, looked at and freed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..codegen.arguments import ArrayOf, Kind, Number, Record
from ..errors import StandaloneRejection
from ..verify.subject import arrays
from .host_names import Names, local, names_of
from .inputs import FLAGS, FLOATS, PLACES, RISING, ROTATIONS, Leaf, leaves, most_of, values
from .shapes import length_of
from .translate import Translation
from .types import literal, make, name_of, part

# What a fill is called in C++, and its further parameters.
_FILLERS = {
    FLOATS: "fill_floats",
    FLAGS: "fill_flags",
    ROTATIONS: "fill_rotations",
    PLACES: "fill_places",
    RISING: "fill_rising",
}


@dataclass(slots=True)
class Host:
    """Lines of the host function.

    Attributes:
        setup: makes the arguments and copies them to the device.
        results: copies arrays back and looks at them.
        frees: frees memory.
        fills: the fills that it calls.
        outputs: the leaves that it looks at.
        filled: the leaves of floats that it fills.
        strided: whether elements of an array are structs, so that a leaf's numbers do not lie one after the other.
    """

    setup: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    frees: list[str] = field(default_factory=list)
    fills: set[str] = field(default_factory=set)
    outputs: list[Leaf] = field(default_factory=list)
    filled: list[Leaf] = field(default_factory=list)
    strided: bool = False


def host_of(t: Translation, seed: int, shapes: str, example: int, checked: bool) -> Host:
    """Return the host side of a translation.

    Args:
        seed: decides the inputs.
        shapes: a name in :data:`~builder.standalone.shapes.LENGTHS`.
        example: the size for which expected values are known.
        checked: whether there are any.
    """
    numbers = leaves(t.args)
    host = Host(strided=any(leaf.array not in ("", leaf.path) for leaf in numbers))
    for name, kind in t.args:
        own = [leaf for leaf in numbers if leaf.path.split(".")[0] == name]
        if isinstance(kind, ArrayOf):
            _array(host, names_of(t, name), kind, own, shapes)
        elif isinstance(kind, Record):
            _struct(host, t, name, own, shapes, seed, example)
        else:
            host.setup += [""] * (not host.setup or not host.setup[-1].startswith("const "))
            host.setup.append(f"const {name_of(kind)} {local(name)} = {constant(own[0], seed, example)};")
    del host.setup[:1]  # each part begins with an empty line
    host.outputs = written_leaves(t)
    _results(host, t, checked)
    return host


def written_leaves(t: Translation) -> list[Leaf]:
    """Return the leaves of the arrays that a kernel changes, and of all arrays that lie in structs."""
    kinds = dict(t.args)
    return [
        leaf
        for leaf in leaves(t.args)
        if leaf.array and (leaf.array in t.written or isinstance(kinds[leaf.array.split(".")[0]], Record))
    ]


def constant(leaf: Leaf, seed: int, n: int) -> str:
    """Return the value of an argument that is no array."""
    drawn = values(leaf, seed, n, 1, 1)[0]
    number = leaf.number
    texts = [literal(number, float(v) if "float" in number.name else int(v)).text for v in drawn]
    return texts[0] if isinstance(leaf.kind, Number) else make(leaf.kind, texts)


def _array(host: Host, names: Names, kind: ArrayOf, own: Sequence[Leaf], shapes: str) -> None:
    if kind.family != "array":
        raise StandaloneRejection(f"an {kind.family}")
    if arrays([("", kind.element)]):
        raise StandaloneRejection("an array of structs that hold arrays")
    length = length_of(shapes, kind.ndim)
    type_ = name_of(kind.element)
    dims = [f"{names.host}_dim{axis}" for axis in range(kind.ndim)]
    host.setup.append("")
    host.setup.append(f"// {names.path}: an array of {kind.ndim} dimension{'s' * (kind.ndim > 1)}.")
    host.setup += [f"const int {dim} = {length};" for dim in dims]
    product = " * ".join(dims) if kind.ndim == 1 else f"(size_t){' * '.join(dims)}"
    host.setup.append(f"const size_t {names.host}_count = {product};")
    host.setup.append(f"{type_} *{names.host} = ({type_} *)calloc({names.host}_count, sizeof({type_}));")
    for leaf in own:
        host.setup.append(_filled(host, leaf, names, type_, dims[-1]))
    host.setup.append(f"{type_} *{names.device} = nullptr;")
    size = f"{names.host}_count * sizeof({type_})"
    host.setup.append(f"CUDA_CHECK(cudaMalloc(&{names.device}, {size}));")
    host.setup.append(f"CUDA_CHECK(cudaMemcpy({names.device}, {names.host}, {size}, cudaMemcpyHostToDevice));")
    host.frees += [f"CUDA_CHECK(cudaFree({names.device}));", f"free({names.host});"]


def _first(leaf: Leaf, names: Names) -> str:
    """Return the address of a leaf's first number."""
    inner = leaf.path.removeprefix(names.path)
    element = f"{names.host}[0]{inner}"
    if element == f"{names.host}[0]" and isinstance(leaf.kind, Number):
        return names.host
    if isinstance(leaf.kind, Number):
        return f"&{element}"
    return f"&{part(leaf.kind, element, 0)}"


def _numbers(host: Host, leaf: Leaf, names: Names, type_: str, by_element: bool = False) -> str:
    """Return the arguments that say where a leaf's numbers are."""
    count = f"{names.host}_count"
    if host.strided:
        return f"{_first(leaf, names)}, sizeof({type_}), {leaf.parts}, {count}"
    if by_element:
        return f"{_first(leaf, names)}, {leaf.parts}, {count}"
    return f"{_first(leaf, names)}, {f'{leaf.parts} * ' if leaf.parts > 1 else ''}{count}"


def _filled(host: Host, leaf: Leaf, names: Names, type_: str, last: str) -> str:
    where = _numbers(host, leaf, names, type_, leaf.fill == ROTATIONS)
    if leaf.fill not in (PLACES, RISING):
        where += f", {leaf.stream}"
    if leaf.fill == FLOATS:
        low, high = leaf.limits
        where += f", {low}, {high}"
    elif leaf.fill == RISING:
        where += f", {last}, n"
    elif leaf.fill not in (ROTATIONS, FLAGS):
        where += f", {_most(leaf)}"
    name = _FILLERS.get(leaf.fill, "fill_whole")
    host.fills.add(name)
    if name in ("fill_floats", "fill_rotations"):
        host.filled.append(leaf)
    return f"{name}({where});"


def _most(leaf: Leaf) -> str:
    small, large = most_of(leaf, 1), most_of(leaf, 1 << 30)
    if small == large:
        return str(small)
    return (
        "n"
        if small == 1 and large == 1 << 30
        else f"n > {small} ? n : {small}"
        if large == 1 << 30
        else f"n < {large} ? n : {large}"
    )


def _struct(host: Host, t: Translation, name: str, own: Sequence[Leaf], shapes: str, seed: int, example: int) -> None:
    kind = dict(t.args)[name]
    host.setup.append("")
    host.setup.append(f"// {name}: a struct.")
    host.setup.append(f"{name_of(kind)} {local(name)} = {{}};")
    for path, inner in _fields(name, kind):
        mine = [leaf for leaf in own if leaf.path == path or leaf.array == path]
        place = local(name) + path.removeprefix(name)
        if isinstance(inner, ArrayOf):
            names = names_of(t, path)
            _array(host, names, inner, mine, shapes)
            host.setup.append(f"{place} = {names.device};")
            host.setup += [f"{place}_dim{axis} = {names.host}_dim{axis};" for axis in range(inner.ndim)]
        else:
            host.setup.append(f"{place} = {constant(mine[0], seed, example)};")


def _fields(path: str, kind: Kind) -> Iterator[tuple[str, Kind]]:
    """Yield the fields of a struct that are no structs themselves."""
    assert isinstance(kind, Record)
    for name, inner in kind.fields:
        if isinstance(inner, Record):
            yield from _fields(f"{path}.{name}", inner)
        else:
            yield f"{path}.{name}", inner


def symbol(leaf: Leaf) -> str:
    """Return a C++ name for a leaf."""
    return leaf.path.replace(".", "_")


def _results(host: Host, t: Translation, checked: bool) -> None:
    kinds, written = dict(t.args), host.outputs
    if checked:
        host.results.append("bool passed = true;")
    for array in dict.fromkeys(leaf.array for leaf in written):
        names = names_of(t, array)
        type_ = name_of(_element(kinds, array))
        size = f"{names.host}_count * sizeof({type_})"
        host.results.append(f"CUDA_CHECK(cudaMemcpy({names.host}, {names.device}, {size}, cudaMemcpyDeviceToHost));")
        for leaf in written:
            if leaf.array == array:
                where = f'"{leaf.path}", {_numbers(host, leaf, names, type_)}'
                if checked:
                    limits = f"expected_{symbol(leaf)}, absolute_{symbol(leaf)}, relative_{symbol(leaf)}"
                    host.results.append(f"if (n == EXPECTED_SIZE && !check_output({where}, {limits})) {{")
                    host.results += ["  passed = false;", "}"]
                else:
                    host.results.append(f"sum_output({where});")


def _element(kinds: dict[str, Kind], array: str) -> Kind:
    name, *fields = array.split(".")
    kind = kinds[name]
    for field_ in fields:
        assert isinstance(kind, Record)
        kind = dict(kind.fields)[field_]
    assert isinstance(kind, ArrayOf)
    return kind.element
