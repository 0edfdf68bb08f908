"""What can be walked: every mode, the way back, each of them undone, and each of them given up where it stood."""

from typing import NamedTuple

from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, NATIVE_STATEFULSET, STATEFULSET, Kind

Words = tuple[str, ...]

SURGE = 1
"""How many pods more there may be in a surge."""


class Way(NamedTuple):
    """One mode. `command` is what dies, after `begin`; `again` is what then has to bring everything to its end.

    `kind` is the workload there is at first, `target` the one in the end. Where `keeps`, every pod lives through it.
    `missing` is how many pods fewer than wanted may be ready meanwhile, None for all of them; `more` is how many more
    there may be.
    """

    kind: Kind
    begin: tuple[Words, ...]
    command: Words
    target: Kind
    keeps: bool = True
    missing: int | None = 0
    more: int = 0
    again: Words = ()

    @property
    def rerun(self) -> Words:
        return self.again or self.command

    @property
    def undone(self) -> bool:
        return "--rollback" in self.rerun


FORWARD = ("deployment/{name}", "--rewrite-refs=all")
BACK = ("cloneset/{name}", "--to=deployment", "--rewrite-refs=all")
UNDO = ("deployment/{name}", "--rollback")
UNDO_BACK = ("cloneset/{name}", "--rollback")
GRADUAL = (*FORWARD, "--mode=surge", f"--max-surge={SURGE}")
RECREATE = (*FORWARD, "--mode=recreate")

SETS = ("statefulset/{name}", "--rewrite-refs=all")
SETS_BACK = ("asts/{name}", "--to=statefulset", "--rewrite-refs=all")
SETS_BY_ORDINALS = (*SETS, "--mode=handover")
SETS_RECREATE = (*SETS, "--mode=recreate")
UNDO_SETS = ("statefulset/{name}", "--rollback")
UNDO_SETS_BACK = ("asts/{name}", "--rollback")

WAYS = {
    "forward": Way(DEPLOYMENT, (), FORWARD, CLONESET),
    "undo": Way(DEPLOYMENT, (FORWARD,), UNDO, DEPLOYMENT),
    "forward-dropped": Way(DEPLOYMENT, (), FORWARD, DEPLOYMENT, again=UNDO),
    "back": Way(CLONESET, (), BACK, DEPLOYMENT),
    "back-undo": Way(CLONESET, (BACK,), UNDO_BACK, CLONESET),
    "back-dropped": Way(CLONESET, (), BACK, CLONESET, again=UNDO_BACK),
    "surge": Way(DEPLOYMENT, (), GRADUAL, CLONESET, keeps=False, more=SURGE),
    "surge-undo": Way(DEPLOYMENT, (GRADUAL,), UNDO, DEPLOYMENT, keeps=False, more=SURGE),
    "surge-dropped": Way(DEPLOYMENT, (), GRADUAL, DEPLOYMENT, keeps=False, more=SURGE, again=UNDO),
    "recreate": Way(DEPLOYMENT, (), RECREATE, CLONESET, keeps=False, missing=None),
    "recreate-undo": Way(DEPLOYMENT, (RECREATE,), UNDO, DEPLOYMENT, keeps=False, missing=None),
    "sets": Way(NATIVE_STATEFULSET, (), SETS, STATEFULSET),
    "sets-undo": Way(NATIVE_STATEFULSET, (SETS,), UNDO_SETS, NATIVE_STATEFULSET),
    "sets-dropped": Way(NATIVE_STATEFULSET, (), SETS, NATIVE_STATEFULSET, again=UNDO_SETS),
    "sets-back": Way(STATEFULSET, (), SETS_BACK, NATIVE_STATEFULSET),
    "sets-back-undo": Way(STATEFULSET, (SETS_BACK,), UNDO_SETS_BACK, STATEFULSET),
    "sets-back-dropped": Way(STATEFULSET, (), SETS_BACK, STATEFULSET, again=UNDO_SETS_BACK),
    "sets-handover": Way(NATIVE_STATEFULSET, (), SETS_BY_ORDINALS, STATEFULSET, keeps=False, missing=1),
    "sets-handover-back": Way(
        STATEFULSET, (), (*SETS_BACK, "--mode=handover"), NATIVE_STATEFULSET, keeps=False, missing=1
    ),
    "sets-handover-dropped": Way(
        NATIVE_STATEFULSET, (), SETS_BY_ORDINALS, NATIVE_STATEFULSET, keeps=False, missing=1, again=UNDO_SETS
    ),
    "sets-recreate": Way(NATIVE_STATEFULSET, (), SETS_RECREATE, STATEFULSET, keeps=False, missing=None),
    "sets-recreate-dropped": Way(
        NATIVE_STATEFULSET, (), SETS_RECREATE, NATIVE_STATEFULSET, keeps=False, missing=None, again=UNDO_SETS
    ),
    "recreate-dropped": Way(DEPLOYMENT, (), RECREATE, DEPLOYMENT, keeps=False, missing=None, again=UNDO),
}
