from copy import deepcopy
from typing import Any

import pytest

from kubectl_kruise.facts.crds.definitions import RELEASE_ANNOTATION, definition
from kubectl_kruise.facts.kinds import CLONESET
from kubectl_kruise.facts.releases import Release
from kubectl_kruise.operations.install.plan import Action, plan_install, plan_uninstall, stranded_versions

WANTED: Any = definition(CLONESET)


def live(**changes: Any) -> Any:
    """The definition as a server gives it back: with defaults of its own."""
    raw = deepcopy(WANTED)
    raw["metadata"] |= {"uid": "u1", "resourceVersion": "7"}
    raw["spec"]["versions"][0]["additionalPrinterColumns"][0]["description"] = "added by the server"
    raw["status"] = {"storedVersions": ["v1alpha1"]}
    for path, value in changes.items():
        at = raw
        *parents, last = path.split("__")
        for step in parents:
            at = at.setdefault(step, {})
        at[last] = value
    return raw


OLDER = {RELEASE_ANNOTATION: "1.8.0"}


@pytest.mark.parametrize(
    ("raw", "manager", "action", "why"),
    [
        pytest.param(None, "", Action.CREATE, "", id="missing"),
        pytest.param(live(), "", Action.UNCHANGED, "", id="the same, with the server's defaults"),
        pytest.param(live(), "manager-1", Action.UNCHANGED, "", id="the same beside a manager"),
        pytest.param(live(metadata__annotations=OLDER), "", Action.UPDATE, "", id="ours, of an older release"),
        pytest.param(
            live(metadata__annotations=OLDER), "manager-1", Action.KEPT, "manager-1 is running", id="a live manager owns it"
        ),
        pytest.param(
            live(metadata__annotations=OLDER | {"meta.helm.sh/release-name": "kruise", "meta.helm.sh/release-namespace": "ops"}),
            "", Action.KEPT, "Helm release ops/kruise", id="Helm owns it by annotation",
        ),
        pytest.param(
            live(metadata__annotations=OLDER, metadata__labels={"app.kubernetes.io/managed-by": "Helm"}),
            "", Action.KEPT, "Helm owns it", id="Helm owns it by label",
        ),
        pytest.param(
            live(metadata__annotations=OLDER, status__storedVersions=["v1alpha1", "v1beta1"]),
            "", Action.KEPT, "v1beta1", id="a version would be lowered",
        ),
        pytest.param(
            live(metadata__annotations={RELEASE_ANNOTATION: "1.10.0"}), "", Action.KEPT, "1.10.0", id="a newer release"
        ),
        pytest.param(
            live(metadata__deletionTimestamp="2026-01-01T00:00:00Z", metadata__annotations=OLDER),
            "", Action.KEPT, "being deleted", id="on its way out",
        ),
        pytest.param(
            live(spec__conversion={"strategy": "Webhook"}), "", Action.UPDATE, "conversion webhook", id="fault B160"
        ),
    ],
)  # fmt: skip
def test_install_decides(raw: Any, manager: str, action: Action, why: str) -> None:
    step = plan_install(CLONESET, WANTED, raw, manager)

    assert step.action is action
    assert why in step.why


MAIN_WANTED: Any = definition(CLONESET, Release.MAIN)


def test_objects_that_nobody_could_read_any_more_keep_the_definition() -> None:
    """fault B160: without a webhook nothing turns a stored v1alpha1 into the v1beta1 that would be served."""
    assert stranded_versions(live(), MAIN_WANTED) == "v1alpha1"
    assert stranded_versions(live(), WANTED) == ""
    assert stranded_versions(None, MAIN_WANTED) == ""

    kept = plan_install(CLONESET, MAIN_WANTED, live(), "", stranded="v1alpha1")
    empty = plan_install(CLONESET, MAIN_WANTED, live(), "")

    assert (kept.action, "conversion webhook" in kept.why) == (Action.KEPT, True)
    assert empty.action is Action.UPDATE


def test_the_main_branch_is_newer_than_every_release() -> None:
    raw = live(metadata__annotations={RELEASE_ANNOTATION: "main"})

    assert plan_install(CLONESET, WANTED, raw, "").action is Action.KEPT


def test_an_update_keeps_what_others_wrote_in_the_metadata() -> None:
    raw = live(metadata__annotations=OLDER | {"note": "mine"}, metadata__labels={"team": "shop"})

    wanted = plan_install(CLONESET, WANTED, raw, "").wanted

    assert wanted["metadata"]["annotations"] == {"note": "mine", RELEASE_ANNOTATION: "1.9.0"}
    assert wanted["metadata"]["labels"] == {"team": "shop"}
    assert wanted["metadata"]["resourceVersion"] == "7", "a race is refused by the server"


def test_a_schema_that_lacks_a_field_is_not_the_same() -> None:
    raw = live()
    del raw["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"][
        "lifecycle"
    ]

    assert plan_install(CLONESET, WANTED, raw, "").action is Action.UPDATE


def test_ours_of_the_same_release_with_fewer_descriptions_is_brought_up_to_date() -> None:
    raw = live()
    del raw["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["description"]

    assert plan_install(CLONESET, WANTED, raw, "").action is Action.UPDATE


@pytest.mark.parametrize(
    ("raw", "manager", "action"),
    [
        pytest.param(None, "", Action.ABSENT, id="not there"),
        pytest.param(live(), "", Action.DELETE, id="ours"),
        pytest.param(live(), "manager-1", Action.KEPT, id="a live manager owns it"),
        pytest.param(
            live(metadata__labels={"app.kubernetes.io/managed-by": "Helm"}),
            "",
            Action.KEPT,
            id="Helm owns it",
        ),
    ],
)
def test_uninstall_decides(raw: Any, manager: str, action: Action) -> None:
    assert plan_uninstall(CLONESET, raw, manager).action is action
