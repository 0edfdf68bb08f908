"""The requests of a migration between sets are those that were proven on a real cluster, in their order, with their guards."""

from typing import Any

import pytest

from kubectl_kruise.cluster.client import Client
from tests.conformance.comparing.compare import first_difference
from tests.operations.migrate.sets.walks import Act, back, forward, found, undo
from tests.operations.migrate.sets.world import FORWARD, SetWorld
from tests.operations.migrate.test_recorded_requests import Log, comparable, recorded

LABEL = "controller-revision-hash"
Sent = list[Any]


def plain(sent: Sent) -> Sent:
    """Leave out what is told otherwise elsewhere, and what ours says besides.

    Ours lets a set work, or go, only in the state in which it was seen, notes where an Advanced StatefulSet came from, sends
    a label only where it is another one, and asks the server by dry runs before it goes back, too.
    """
    found = []
    for method, resource, name, told_body in sent:
        body = dict(told_body or {})
        if resource.endswith("(dry run)"):
            continue
        if preconditions := body.get("preconditions"):
            body["preconditions"] = {"uid": preconditions["uid"]}
        meta = body.pop("metadata", None) or {}
        if resource.startswith("pods"):
            found.append(
                [method, "pods", sorted(each.get("$patch", "") for each in meta.get("ownerReferences", []))]
            )
            continue
        if spec := body.get("spec"):
            told = (
                ("updateStrategy",)
                if method == "PATCH"
                else ("updateStrategy", "replicas", "podManagementPolicy")
            )
            body["spec"] = {key: spec[key] for key in told if key in spec}
        notes = {key for key in meta.get("annotations") or {} if key == "kruise-migrate/id"}
        found.append([method, resource.removeprefix("native."), name, body, sorted(notes)])
    return found


def forget(world: SetWorld, client: Client) -> None:
    """Take away the journal of what is done, as `migrate cleanup` does."""
    keeper = found(world, client, FORWARD)
    assert keeper is not None
    keeper.remove()


@pytest.mark.parametrize(
    ("name", "steps", "before", "act"),
    [
        pytest.param("mg-004", "T", (), forward, id="forward"),
        pytest.param("mg-008", "C", (forward, forget), back, id="back"),
        pytest.param("mg-020", "C", (forward,), undo(FORWARD), id="undone"),
    ],
)
def test_requests_are_the_proven_ones(name: str, steps: str, before: tuple[Act, ...], act: Act) -> None:
    policy = "OrderedReady" if steps == "T" else "Parallel"
    world = SetWorld(replicas=4, podManagementPolicy=policy)
    for first in before:
        first(world, world.cluster)
    log = Log(world.cluster._transport)
    act(world, world.connect(log))
    theirs, ours = plain(comparable(recorded(name, steps))), plain(comparable(log.sent))
    assert first_difference(theirs, ours) == ""
