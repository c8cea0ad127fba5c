"""Level gpu on this machine's GPU: ``make test-gpu``."""

from __future__ import annotations

import pytest

from builder.codegen import generate
from builder.errors import CodegenRejection
from builder.kernels import candidate
from builder.spec import load_spec
from builder.verify import devices, row_of, verify

pytestmark = pytest.mark.gpu
_EACH = 3


@pytest.fixture(autouse=True)
def device():
    """Skip where there is no device."""
    if not devices.find_device():
        pytest.skip("this machine has no CUDA device")


@pytest.mark.parametrize("category", load_spec("paired").categories)
def test_rows_give_on_the_device_what_they_give_here(category):
    rows = {}
    for index in range(4 * _EACH):
        source = candidate(11, index, {category: 1.0}).text
        try:
            made = row_of(source, generate(source))
        except CodegenRejection:
            continue
        if len(rows) < _EACH:
            rows[made["id"]] = made
    verdicts = verify(list(rows.values()), level="gpu")
    launched = [verdict for verdict in verdicts if verdict.execute.state == "passed"]
    assert launched
    assert all(verdict.gpu.state in ("passed", "not_applicable") for verdict in launched), [
        (verdict.id, verdict.gpu.reason) for verdict in launched
    ]
