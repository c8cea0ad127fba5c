"""linear_types: long vectors, rectangular matrices, decompositions, components assigned and indexed as data says."""

from __future__ import annotations

from ...families import one_of
from .decompositions import decomposed, normal_equations, whitening
from .features import cells, features
from .matrices import assembly, camera
from .vectors import copies, long_vectors, norms, polynomial

build = one_of(
    "linear_types", long_vectors, polynomial, features, norms, copies, cells, camera, normal_equations, assembly,
    decomposed, whitening,
)  # fmt: skip
