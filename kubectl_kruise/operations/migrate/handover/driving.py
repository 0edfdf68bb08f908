"""Look, decide, do, until nothing is left to do: the same for a first run, a resumed one and an undo."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

from kubectl_kruise.engine.migration.situation import Situation
from kubectl_kruise.engine.migration.stages import counts_of, stage_of
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.operations.migrate.journal.keeping import Keeper
from kubectl_kruise.operations.migrate.looking import look
from kubectl_kruise.operations.migrate.persisting import Endurance
from kubectl_kruise.operations.migrate.run import Run

Step = TypeVar("Step", bound=StrEnum)
Steps = Mapping[Step, Callable[[Situation], None]]
"""What to do at each step, in the situation that led to it."""


def drive(
    run: Run,
    keeper: Keeper,
    decide: Callable[[Situation], Step],
    steps: Steps[Step],
    *,
    end: Step,
) -> Situation:
    """Do step after step until `end` is due; gives the situation then.

    After a failure whose outcome nobody knows, or a lost race, the cluster is read again and tells how to go on. Raises
    the failure itself when the server has not answered for as long as `run.patience`, or after ten races in a row.
    """
    told: Step | None = None
    endurance = Endurance(run)
    while True:
        try:
            now = look(run, keeper.journal)
            step = decide(now)
            run.seen(stage_of(step), counts_of(step, now, keeper.journal))
            if step is end:
                return now
            if step is not told:
                run.tell(str(step))
                told = step
            steps[step](now)
        except KruiseError as error:
            endurance.outlive(error)
        else:
            endurance.refresh()
