"""Manifests of `-f`, read as kubectl reads them."""

from pathlib import Path

import pytest

from kubectl_kruise.cli.finding.manifests import read_manifests


@pytest.mark.parametrize(
    ("written", "read"),
    [
        pytest.param("2026-11-30", "2026-11-30", id="dates are text"),
        pytest.param("2026-11-30T10:00:00Z", "2026-11-30T10:00:00Z", id="times are text"),
        pytest.param("10:30", "10:30", id="no sexagesimal numbers"),
        pytest.param("1e3", 1000, id="exponents are numbers"),
        pytest.param("0o17", 15, id="octal"),
        pytest.param("yes", True, id="yes is true"),
        pytest.param("!ours text", "text", id="unknown tags"),
    ],
)
def test_plain_scalars_mean_what_they_mean_to_kubectl(written: str, read: object, tmp_path: Path) -> None:
    path = tmp_path / "web.yaml"
    path.write_text(f"kind: Thing\nspec: {{value: {written}}}\n")

    assert repr(read_manifests([str(path)])) == repr([{"kind": "Thing", "spec": {"value": read}}])
