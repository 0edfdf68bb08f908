import shutil
from pathlib import Path

import pytest

from tests.mutants.catalog import FAULTS
from tests.mutants.fault import PACKAGE, Fault, recording, seed
from tests.places import ROOT


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.about)
def test_every_seeded_fault_still_finds_its_place(fault: Fault, tmp_path: Path) -> None:
    copy = tmp_path / PACKAGE / fault.file
    copy.parent.mkdir(parents=True)
    shutil.copy(ROOT / PACKAGE / fault.file, copy)

    seed(fault, tmp_path)

    compile(copy.read_text("utf-8"), fault.file, "exec")
    assert all(recording(name).is_file() for name in fault.recordings)


def test_a_fault_without_its_place_is_an_error(tmp_path: Path) -> None:
    (tmp_path / PACKAGE).mkdir()
    (tmp_path / PACKAGE / "some.py").write_text("a = 1\na = 1\n")

    with pytest.raises(ValueError, match="stands 2 times"):
        seed(Fault("twice", "some.py", "a = 1", "", ()), tmp_path)


def test_no_two_faults_are_the_same() -> None:
    assert len({fault.about for fault in FAULTS}) == len(FAULTS) >= 25
