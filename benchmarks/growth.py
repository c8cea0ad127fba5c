"""What each part of a build to a folder costs for a kernel, at one size, with one process."""

from __future__ import annotations

import time

from .children import Figures, answer, resident, scratch


def parts(count: str) -> Figures:
    """Return CPU milliseconds for a kernel, by part, and the process's resident memory in MiB at the end."""
    from builder import stages
    from builder.curate.decision import Deciding
    from builder.package.folder import write_folder
    from builder.package.store import Store
    from builder.scale import local
    from builder.scale.folders import config_build
    from builder.scale.progress import Silent
    from builder.spec import load_spec

    spec = load_spec("paired", num_kernels=int(count))
    found: Figures = {}

    def told(part: str, began: float) -> None:
        found[part] = 1000 * (time.process_time() - began) / int(count)

    with scratch() as root:
        store = Store(root / "store")
        began = time.process_time()
        with local.engine_for(spec, store, Silent(), num_proc=1, engine="local", address="") as engine:
            decision = local.decide(spec, store, engine, Silent())
            told("prepare and decide", began)
            began = time.process_time()
            deciding = Deciding(spec)
            while not deciding.full:
                stages.offer(deciding, spec, store, deciding.units)
            told("of it: decide", began)
            for stage in stages.AFTER:
                began = time.process_time()
                for _ in engine.run(stage, stages.ranks_of(stage, decision)):
                    pass
                told(stage, began)
        began = time.process_time()
        write_folder(root / "out", [config_build(spec, store)])
        told("put together and write", began)
        found |= {f"MiB {name}": value for name, value in resident().items()}
    return found


if __name__ == "__main__":
    answer({"parts": parts})
