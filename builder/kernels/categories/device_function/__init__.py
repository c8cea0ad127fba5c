"""device_function: functions of one's own, their overloads, results, exits, defaults and derivatives."""

from __future__ import annotations

from ...families import one_of
from .calls import chain, early, overloads
from .gradients import custom_gradient, replayed, slopes
from .results import defaults, higher, several

build = one_of("device_function", chain, overloads, early, several, higher, defaults, custom_gradient, replayed, slopes)
