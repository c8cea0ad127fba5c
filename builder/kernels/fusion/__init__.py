"""What programmers fuse around an algorithm: scaling, activations, thresholds, masks, statistics.

An algorithm alone has few forms. Real kernels carry what stands before and after it in the same loop, and so do ours:
:func:`varied` puts a value through a few drawn steps, :func:`gate` decides which threads work and on which element,
:func:`statistic` keeps a figure of what was computed.
"""

from .coefficients import coefficient
from .gates import gate, statistic
from .steps import varied

__all__ = ["coefficient", "gate", "statistic", "varied"]
