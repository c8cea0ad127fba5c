"""The heads of functions: results and parameters."""

from __future__ import annotations

from ..codegen.arguments import ArrayOf
from ..codegen.typed import TypedFunction
from ..errors import StandaloneRejection
from .signatures import Signature
from .unit import Unit


def head(unit: Unit, function: TypedFunction, signature: Signature) -> str:
    """Return the head of a device function."""
    params = parameters(unit, signature, restrict="")
    returns = function.returns
    if len(returns) > 1:
        params += [f"{unit.helpers.type(kind)} &out{place}" for place, kind in enumerate(returns)]
    result = unit.helpers.type(returns[0]) if len(returns) == 1 else "void"
    return f"__device__ inline {result} {signature.name}({', '.join(params)})"


def parameters(unit: Unit, signature: Signature, restrict: str) -> list[str]:
    """Return the parameters of a function: an array is a pointer and the lengths that are needed."""
    params = []
    for name, kind in signature.kinds.items():
        own = signature.rename(name)
        if isinstance(kind, ArrayOf):
            if kind.family != "array":
                raise StandaloneRejection(f"an {kind.family}")
            const = "" if name in signature.written else "const "
            params.append(f"{const}{unit.helpers.type(kind.element)} *{restrict}{own}")
            params += [f"int {own}_dim{axis}" for axis in signature.used_dims(name)]
        else:
            params.append(f"{unit.helpers.type(kind)} {own}")
    return params
