"""Warp's own build and code generation, whole builds of the same kernels beside it, and what memory they hold.

A build is timed from the call to the last Arrow file closed: drawing programs, importing the sources, Warp, canonical
text, keys, token counts, the store, the decision, the rows. Starting worker processes is inside that time, importing
modules into the first process is not.
"""

from __future__ import annotations

import time

from .children import Figures, answer, resident, scratch

_SEED = 1


def bound(count: str) -> Figures:
    """Return the seconds of Warp alone."""
    from builder.kernels import candidate
    from builder.spec import load_spec

    from .warp_bound import warp_bound

    categories = load_spec("paired").categories
    sources = [candidate(_SEED, index, categories).text for index in range(int(count))]
    warp_bound(sources[:50])  # Warp's start-up is not its rate
    return {"seconds": warp_bound(sources)}


def build(count: str, num_proc: str) -> Figures:
    """Return the seconds of a whole build."""
    import pyarrow as pa

    from builder import scale, stages
    from builder.kernels.categories import category
    from builder.package.store import Store
    from builder.scale.progress import Silent
    from builder.spec import SPLITS, load_spec

    spec = load_spec("paired", num_kernels=int(count), seed=_SEED)
    for name in spec.categories:  # importing modules is not timed
        category(name)
    pa.array([0])  # imports pandas where it is installed
    with scratch() as root:
        start = time.perf_counter()
        store = Store(root / "store")
        decision = scale.build(spec, store, num_proc=int(num_proc), progress=Silent())
        for split in SPLITS:
            writer = None
            for table in stages.rows(spec, store, decision, split):
                writer = writer or pa.ipc.new_stream(str(root / f"{split}.arrow"), table.schema)
                writer.write_table(table)
            assert writer is not None
            writer.close()
        return {"seconds": time.perf_counter() - start}


def memory(*counts: str) -> Figures:
    """Return the resident memory in MiB of a worker process that prepares units, after so many kernels each."""
    from builder.package.store import Store
    from builder.scale.engines import setup_worker
    from builder.spec import UNIT, load_spec
    from builder.stages import prepare

    setup_worker()
    spec = load_spec("paired", seed=_SEED)
    found: Figures = {}
    rank = 0
    with scratch() as root:
        for count in counts:
            while rank * UNIT < int(count):
                prepare(spec, Store(root), rank)
                rank += 1
            found |= {f"{name} {count}": value for name, value in resident().items()}
    return found


if __name__ == "__main__":
    answer({"bound": bound, "build": build, "memory": memory})
