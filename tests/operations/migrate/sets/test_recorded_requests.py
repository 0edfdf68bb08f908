"""The requests of a migration between sets are those that were proven on a real cluster, in their order, with their guards."""

import json
from collections.abc import Iterable
from typing import Any

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.engine.migration.journal import Mode
from kubectl_kruise.operations.migrate.carrying import carry_out
from tests.conformance.comparing.compare import first_difference
from tests.operations.migrate.sets.replacing import begin
from tests.operations.migrate.sets.walks import Act, back, forward, found, undo
from tests.operations.migrate.sets.world import FORWARD, SetWorld
from tests.operations.migrate.test_recorded_requests import RECORDINGS, Log, comparable, recorded

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


def test_ordinals_go_over_as_proven() -> None:
    """migration.md §6.2: the lines of both sets, in turn; both fields of the one of Kruise in the same patch.

    Ours leaves the last list out at once, where the recording first empties it.
    """
    world = SetWorld(replicas=3, podManagementPolicy="OrderedReady")
    log = Log(world.cluster._transport)
    client = world.connect(log)
    carry_out(world.run(client, settle=0), begin(world, Mode.HANDOVER, client))
    flow = json.loads((RECORDINGS / "mg-052.json").read_text("utf-8"))["requests"]
    theirs = lines((each["verb"], each.get("body")) for each in flow if "verb" in each)
    ours = lines((method, body) for method, resource, _, body in log.sent if "dry run" not in resource)
    assert ours == theirs
    assert len(ours) == 8


def lines(sent: Iterable[tuple[str, Any]]) -> list[tuple[str, Any, list[int]]]:
    """Give method, replicas and reserved ordinals of what moves a line, and what makes or deletes a set."""
    specs = [(method, (body or {}).get("spec") or {}) for method, body in sent]
    return [
        (method, spec.get("replicas"), spec.get("reserveOrdinals") or [])
        for method, spec in specs
        if method != "PATCH" or "replicas" in spec
    ]
