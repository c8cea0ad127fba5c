"""Processes that run kernels are told no secrets."""

from builder.surroundings import surroundings


def test_secrets_are_not_passed_on(monkeypatch):
    for name in ("HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "my_password"):
        monkeypatch.setenv(name, "planted")
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    found = surroundings(CUDA_VISIBLE_DEVICES="")
    assert "planted" not in found.values()
    assert found["PATH"]
    assert found["CUDA_VISIBLE_DEVICES"] == ""
    assert found["PYTHONPATH"].endswith("elsewhere")
