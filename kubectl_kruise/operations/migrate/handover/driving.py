"""Look, decide, do, until nothing is left to do: the same for a first run, a resumed one and an undo, of every pair."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

from kubectl_kruise.engine.migration.stages import Counts, stage_of
from kubectl_kruise.errors import KruiseError
from kubectl_kruise.operations.migrate.persisting import Endurance
from kubectl_kruise.operations.migrate.run import Run

Now = TypeVar("Now")
Step = TypeVar("Step", bound=StrEnum)


class Course(NamedTuple, Generic[Now, Step]):
    """One direction of one pair of kinds.

    `look` reads what is there, `decide` tells which step follows, `steps` how each is done in the situation that led to
    it, `counts` what can be counted then; `end` is the step at which nothing is left to do.
    """

    look: Callable[[], Now]
    decide: Callable[[Now], Step]
    counts: Callable[[Step, Now], Counts]
    steps: Mapping[Step, Callable[[Now], None]]
    end: Step


def drive(run: Run, course: Course[Now, Step]) -> Now:
    """Do step after step until the end is due; gives the situation then.

    After a failure whose outcome nobody knows, or a lost race, the cluster is read again and tells how to go on. Raises
    the failure itself when the server has not answered for as long as `run.patience`, or after ten races in a row.
    """
    told: Step | None = None
    endurance = Endurance(run)
    while True:
        try:
            now = course.look()
            step = course.decide(now)
            run.seen(stage_of(step), course.counts(step, now))
            if step is course.end:
                return now
            if step is not told:
                run.tell(str(step))
                told = step
            course.steps[step](now)
        except KruiseError as error:
            endurance.outlive(error)
        else:
            endurance.refresh()
