"""Rows made from kernel sources, as a built folder has them."""

import hashlib
import textwrap

from builder.codegen import generate
from builder.verify import row_of

HEAD = "import warp as wp\n\n\n"


def row(body, *, before="", **changed):
    """Return a row of a source: ``before`` and the kernel ``body``; columns may be changed."""
    source = HEAD + textwrap.dedent(before) + "\n\n@wp.kernel\n" + textwrap.dedent(body).strip() + "\n"
    return {**row_of(source, generate(source)), **changed}


def good(name="good", factor=2.0):
    return row(f"""
        def {name}(x: wp.array(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = wp.sin(x[i]) * y[i] + {factor} * x[i]
        """)


def swapped(made, column, old, new):
    """Return a row with a planted error in one column, and an id of its own."""
    assert made[column].count(old) >= 1
    changed = made[column].replace(old, new, 1)
    return {**made, column: changed, "id": hashlib.sha256(changed.encode()).hexdigest()[:16]}
