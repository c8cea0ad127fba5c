"""The check of many programs goes on where it was stopped, and looks again at what has changed."""

import itertools

from builder.standalone.building import Outcome
from tools import standalone_check
from tools.standalone_check import Verdicts, spread

ROW = {"category": "arithmetic", "id": "0"}


def test_verdicts_are_kept_by_program_and_check(tmp_path, monkeypatch):
    asked = []
    for name, passed in (("run", True), ("nvcc", False)):
        answer = Outcome(passed, name)
        monkeypatch.setitem(
            standalone_check.CHECKS, name, lambda text, row, answer=answer: asked.append(text) or answer
        )
    path = tmp_path / "verdicts.jsonl"
    first = Verdicts(path)
    assert first.of("run", "a", ROW) == Outcome(True, "run")
    assert first.of("nvcc", "a", ROW) == Outcome(False, "nvcc")
    again = Verdicts(path)
    assert again.of("nvcc", "a", ROW) == Outcome(False, "nvcc")
    assert asked == ["a", "a"]
    again.of("run", "b", ROW)
    assert asked == ["a", "a", "b"]


def test_a_share_is_spread_over_all_programs():
    for share, total in ((3, 10), (10, 10), (99, 10), (1, 7)):
        chosen = [number for number in range(total) if spread(number, share, total)]
        assert len(chosen) == min(share, total)
        gaps = [after - before for before, after in itertools.pairwise(chosen)]
        assert max(gaps, default=0) - min(gaps, default=0) <= 1
