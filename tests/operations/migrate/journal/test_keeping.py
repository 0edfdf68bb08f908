"""The first journal of a migration, which only one run can write (migration.md §5, mg-032)."""

from dataclasses import replace

import pytest

from kubectl_kruise.engine.migration.journal import Journal, Mode, Reference
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.trouble import BusyError
from kubectl_kruise.sandbox.embedded import Sandbox

BEGUN = "2026-01-01T00:00:00Z"


def test_of_two_that_begin_together_the_second_finds_the_first_at_work() -> None:
    sandbox = Sandbox()
    source, target = (
        Reference("StatefulSet", "db", "apps/v1"),
        Reference("StatefulSet", "db", "apps.kruise.io/v1beta1"),
    )
    first = Journal("1", Mode.ADOPT, source, target, 4, BEGUN)
    kept = Keeper.start(sandbox.client("first"), sandbox.clock, "default", first)

    with pytest.raises(BusyError, match=r"another run has begun to migrate StatefulSet db \(E-BUSY\)"):
        Keeper.start(sandbox.client("second"), sandbox.clock, "default", replace(first, id="2"))
    assert kept.journal.id == "1"
