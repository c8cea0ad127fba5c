"""Several quantities per element: an array for each, or one array of structs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..author import Arr, Author
from ..terms import Like, Term
from ..types import Value, Vec
from .points import Layout, Points


class Records:
    """The quantities of some elements, read and (those changed) written.

    Args:
        k: the kernel.
        words: names for the struct.
        fields: names and type of each quantity.
        changed: positions of the quantities that :meth:`store` writes.
        alone: whether a thread reads no other element than the one it writes, so that it may write in place.
    """

    def __init__(
        self,
        k: Author,
        words: str,
        fields: Sequence[tuple[str, Value]],
        *,
        changed: Sequence[int] = (),
        alone: bool = False,
    ) -> None:
        self._k, self._fields, self._changed = k, list(fields), list(changed)
        in_place = bool(changed) and alone and k.c.chance(1, 3)
        self._packed = k.c.chance(1, 3)
        if self._packed:
            struct = k.struct(words, dict(fields))
            self._struct = struct
            plural = words.split("|")[0].lower() + "s"
            self._into = (k.inout if in_place else k.input)(f"{plural}|states|items", struct)
            self._out = self._into
            if changed and not in_place:
                self._out = k.output(f"{plural}_out|next_states|updated", struct)
            return
        self._columns = [self._column(names, type_, n in self._changed and in_place) for n, (names, type_) in
                         enumerate(fields)]  # fmt: skip
        self._results: dict[int, Arr | Points] = {}
        for n in self._changed:
            names = "|".join(f"{name}_out|new_{name}" for name in fields[n][0].split("|"))
            self._results[n] = self._columns[n] if in_place else self._column(names, fields[n][1], None)

    def _column(self, words: str, type_: Value, both: bool | None) -> Arr | Points:
        k, role = self._k, "output" if both is None else "inout" if both else "input"
        if isinstance(type_, Vec):
            if not hasattr(self, "_layouts"):
                self._layouts: dict[Vec, Layout] = {}
            layout = self._layouts.setdefault(type_, Layout(k, type_.n, type_.dtype))
            found: Points = getattr(layout, role)(words)
            return found
        made: Arr = getattr(k, role)(words, type_)
        return made

    @property
    def count(self) -> Term:
        """The number of elements."""
        if self._packed:
            return self._into.shape(0)
        first = self._columns[0]
        return first.count if isinstance(first, Points) else first.shape(0)

    def load(self, i: Like, words: str = "p|cur|item", suffix: str = "") -> list[Term]:
        """Return the quantities of element ``i``, in locals of their own or as fields of one."""
        k = self._k
        if self._packed:
            item = k.let(words, self._into[i])
            return [getattr(item, name) for name, _ in self._struct.fields]
        terms = []
        for column, (names, _) in zip(self._columns, self._fields, strict=True):
            value = column.at(i) if isinstance(column, Points) else column[i]
            terms.append(k.let("|".join(f"{name}{suffix or '_i'}" for name in names.split("|")), value))
        return terms

    def store(self, i: Like, values: Mapping[int, Term], loaded: Sequence[Term]) -> None:
        """Emit the stores of element ``i``: of the quantities in ``values``, by position."""
        k = self._k
        if not self._packed:
            for n, value in values.items():
                column = self._results[n]
                if isinstance(column, Points):
                    column.store(k, i, value)
                else:
                    column[i] = value
            return
        item = k.new("fresh|q|next_item", self._struct)
        for n, (name, _) in enumerate(self._struct.fields):
            k.put(getattr(item, name), values.get(n, loaded[n]))
        self._out[i] = item
