"""What image names mean (docs/images.md)."""

import pytest

from kubectl_kruise.sandbox.simulation import DEFAULT, RECORDED
from kubectl_kruise.sandbox.simulation.images import Fate, exit_code, fate, image_id, pull_seconds
from tests.places import ROOT

DOCUMENT = ROOT / "docs" / "images.md"


@pytest.mark.parametrize(
    ("image", "meant"),
    [
        pytest.param("nginx:1.25", Fate.RUNS, id="any other"),
        pytest.param("nginx:bad", Fate.NOT_PULLED, id="bad as tag"),
        pytest.param("bad:2", Fate.NOT_PULLED, id="bad as name"),
        pytest.param("registry.example.com/team/bad-app:1", Fate.NOT_PULLED, id="bad as a part"),
        pytest.param("badger:1", Fate.RUNS, id="part of a word"),
        pytest.param("redis:crash", Fate.CRASHES, id="crash"),
        pytest.param("nginx:unready", Fate.UNREADY, id="unready"),
    ],
)
def test_fate(image: str, meant: Fate) -> None:
    assert fate(image) == meant


@pytest.mark.parametrize(
    ("image", "seconds"),
    [
        pytest.param("nginx:1", 0, id="at once"),
        pytest.param("nginx:slow", 10, id="slow"),
        pytest.param("nginx:slow-30s", 30, id="slow with a time"),
        pytest.param("slowpoke:1", 0, id="part of a word"),
    ],
)
def test_slow_starts(image: str, seconds: float) -> None:
    assert pull_seconds(image) == seconds


@pytest.mark.parametrize(
    ("image", "meant", "recorded"),
    [
        pytest.param("busybox", 0, None, id="any other"),
        pytest.param("job:complete", 0, 0, id="complete"),
        pytest.param("job:exit1", 1, 1, id="exit1"),
        pytest.param("job:fail", 1, 1, id="fail"),
    ],
)
def test_exit_codes(image: str, meant: int | None, recorded: int | None) -> None:
    assert (exit_code(image, DEFAULT), exit_code(image, RECORDED)) == (meant, recorded)


def test_image_ids_are_stable_and_distinct() -> None:
    assert image_id("nginx:1", DEFAULT) == image_id("nginx:1", DEFAULT) != image_id("nginx:2", DEFAULT)
    assert image_id("a:1@sha256:00", RECORDED).startswith("docker-pullable://a:1@sha256:")


@pytest.mark.parametrize(
    "word",
    [
        "bad",
        "crash",
        "slow",
        "slow-30s",
        "unready",
        "fail",
        "not-ready",
        "start-delay",
    ],
)
def test_the_document_names_every_word(word: str) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")

    assert f"`{word}`" in text or f"/{word}" in text
    assert f"`{DEFAULT.annotations}/" in text
