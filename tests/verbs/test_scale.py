import json

import pytest

from kubectl_kruise.cluster.port import Patch, PatchType, Request
from kubectl_kruise.facts.kinds import DEPLOYMENT, HPA, POD
from kubectl_kruise.facts.names import SPECIFIED_DELETE_LABEL
from tests.verbs.conftest import Shell

WEB = "cloneset.apps.kruise.io/web"


def with_pods(shell: Shell, *names: str, **spec: object) -> None:
    made = shell.cloneset(**spec)
    for name in names:
        shell.pod(name, made)


def to_delete(shell: Shell) -> list[str]:
    return shell.get("web")["spec"]["scaleStrategy"].get("podsToDelete", [])


def test_replicas_go_through_the_scale_subresource(shell: Shell) -> None:
    shell.cloneset()

    shell.check("scale cs/web --replicas 7", 0, f"{WEB} scaled\n", "replicas 5 → 7\n")

    assert shell.get("web")["spec"]["replicas"] == 7
    assert [request.target.partition("?")[0].rpartition("/")[2] for request in shell.writes] == ["scale"]


def test_deployments_scale_too(shell: Shell) -> None:
    shell.deployment(replicas=2)

    shell.check("scale deploy/web --replicas=0", 0, "deployment.apps/web scaled\n", "replicas 2 → 0\n")

    assert shell.get("web", DEPLOYMENT)["spec"]["replicas"] == 0


def test_from_zero_and_back(shell: Shell) -> None:
    shell.cloneset(replicas=0)
    shell.deployment(replicas=0)

    shell.check("scale cs/web --replicas 3", 0, f"{WEB} scaled\n", "replicas 0 → 3\n")
    shell.check("scale deploy/web --replicas 3", 0, "deployment.apps/web scaled\n", "replicas 0 → 3\n")

    assert shell.get("web")["spec"]["replicas"] == 3
    assert shell.get("web", DEPLOYMENT)["spec"]["replicas"] == 3


def test_an_autoscaler_that_owns_the_number_is_named(shell: Shell) -> None:
    shell.cloneset()
    reference = {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet", "name": "web"}
    for name, target in (("mine", reference), ("other", {**reference, "name": "x"})):
        spec = {"scaleTargetRef": target, "maxReplicas": 9}
        shell.admin.create(HPA.path("shop"), {"metadata": {"name": name}, "spec": spec})

    shell.check(
        "scale cs/web --replicas 7",
        0,
        f"{WEB} scaled\n",
        f"Warning: HorizontalPodAutoscaler mine owns the number of pods of {WEB} and may change it back\n"
        "replicas 5 → 7\n",
    )


@pytest.mark.parametrize(
    ("words", "code", "stderr"),
    [
        ("--replicas -3", 2, "error: --replicas=-3: the number of pods is 0 or more, and below 2³¹\n"),
        ("--replicas 4 --current-replicas 9", 3, 'error: cloneset "web" has 5 replicas, not 9\n'),
        ("--delete-pod a --current-replicas 9", 3, 'error: cloneset "web" has 5 replicas, not 9\n'),
        ("--delete-pod a --replace --current-replicas 9", 3, 'error: cloneset "web" has 5 replicas, not 9\n'),
        ("", 2, "error: say either --replicas N or --delete-pod NAME\n"),
        ("--replicas 3 --delete-pod a", 2, "error: say either --replicas N or --delete-pod NAME\n"),
        ("--replicas 3 --replace", 2, "error: --replace belongs to --delete-pod\n"),
        (
            "--delete-pod nope-1,nope-2",
            4,
            'error: no pod "nope-1" in namespace "shop"; no pod "nope-2" in namespace "shop"\n',
        ),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(
    shell: Shell, words: str, code: int, stderr: str
) -> None:
    shell.cloneset()

    shell.check(f"scale cs/web {words}", code, "", stderr)

    assert not shell.writes


def test_chosen_pods_go_in_one_write(shell: Shell) -> None:
    with_pods(shell, "web-a", "web-b", "web-c")

    shell.check(
        ["scale", "cs/web", "--delete-pod", "web-a, web-b", "--delete-pod=web-a"],
        0,
        f"{WEB} scaled\n",
        "deletes web-a, web-b: replicas 5 → 3\n",
    )

    assert shell.get("web")["spec"]["replicas"] == 3
    assert to_delete(shell) == ["web-a", "web-b"]
    assert len(shell.writes) == 1


def test_naming_them_again_changes_nothing(shell: Shell) -> None:  # cli.md B17a
    with_pods(shell, "web-a")
    shell.check("scale cs/web --delete-pod web-a", 0)

    shell.check(
        "scale cs/web --delete-pod web-a",
        0,
        f"{WEB} unchanged\n",
        'cloneset "web": listed for deletion already: web-a\n',
    )

    assert shell.get("web")["spec"]["replicas"] == 4


def test_never_below_zero(shell: Shell) -> None:  # cli.md B17
    with_pods(shell, "web-a", "web-b", replicas=1)

    shell.check(
        "scale cs/web --delete-pod web-a,web-b",
        3,
        "",
        'error: cloneset "web" has 1 replicas: 2 fewer is not possible\n',
    )

    assert not shell.writes


def test_a_pod_of_another_owner_is_refused_by_name(shell: Shell) -> None:  # cli.md B16
    shell.cloneset()
    shell.pod("x", shell.deployment("other"))
    shell.pod("bare", None, labels={"app": "elsewhere"})

    shell.check(
        "scale cs/web --delete-pod x",
        3,
        "",
        'error: pod "x" belongs to Deployment "other", not to cloneset "web"\n',
    )
    shell.check(
        "scale cs/web --delete-pod bare",
        3,
        "",
        'error: pod "bare" belongs to no controller, not to cloneset "web"\n',
    )


def test_a_race_does_not_shrink_twice(shell: Shell) -> None:
    with_pods(shell, "web-a", "web-b")
    raced = []

    def meddle(request: Request) -> None:
        if request.method == "PATCH" and not raced:
            raced.append(request)
            body = {"spec": {"replicas": 4, "scaleStrategy": {"podsToDelete": ["web-a"]}}}
            shell.admin.patch(shell.path("web"), Patch(PatchType.MERGE, body))

    shell.transport.before = meddle

    shell.check(
        "scale cs/web --delete-pod web-a,web-b", 0, f"{WEB} scaled\n", "deletes web-b: replicas 4 → 3\n"
    )
    assert to_delete(shell) == ["web-a", "web-b"]


def test_claims_that_go_with_the_pods_are_warned_of(shell: Shell) -> None:
    claim = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    with_pods(shell, "web-a", volumeClaimTemplates=[claim])

    shell.check(
        "scale cs/web --delete-pod web-a",
        0,
        f"{WEB} scaled\n",
        "Warning: the volume claims of the pods that go are deleted with them, and their data is lost\n"
        "deletes web-a: replicas 5 → 4\n",
    )


def test_a_warning_that_was_part_of_the_question_is_not_given_again(shell: Shell) -> None:
    with_pods(shell, "web-a", volumeClaimTemplates=[{"metadata": {"name": "data"}}])

    code, _, err = shell.run(["scale", "cs/web", "--replicas", "4"], stdin="y\n")

    assert (code, err.count("their data is lost")) == (0, 1)


def test_a_pod_that_is_replaced_loses_its_claims_too(shell: Shell) -> None:
    with_pods(shell, "web-a", "web-b", volumeClaimTemplates=[{"metadata": {"name": "data"}}])

    shell.check(
        "scale cs/web --delete-pod web-a,web-b --replace",
        0,
        "pod/web-a marked for replacement\npod/web-b marked for replacement\n",
        "Warning: the volume claims of the pods that go are deleted with them, and their data is lost\n",
    )


def test_replacing_keeps_the_number(shell: Shell) -> None:
    with_pods(shell, "web-a", "web-b")

    shell.check("scale cs/web --delete-pod web-a --replace", 0, "pod/web-a marked for replacement\n", "")

    assert shell.get("web-a", POD)["metadata"]["labels"][SPECIFIED_DELETE_LABEL] == "true"
    assert shell.get("web")["spec"]["replicas"] == 5


def test_a_person_is_asked_before_pods_are_deleted(shell: Shell) -> None:
    with_pods(shell, "web-a")
    question = f"delete pods of {WEB}: this deletes pods\n  deletes web-a: replicas 5 → 4\ncontext sandbox, namespace shop. Go on? [y/N] "

    shell.check(
        "scale cs/web --delete-pod web-a",
        3,
        "",
        f"{question}error: not confirmed, nothing was changed\n",
        stdin="\n",
    )
    assert not shell.writes
    shell.check(
        "scale cs/web --delete-pod web-a",
        0,
        f"{WEB} scaled\n",
        f"{question}deletes web-a: replicas 5 → 4\n",
        stdin="y\n",
    )


@pytest.mark.parametrize(
    "words",
    [
        ["CloneSet/web", "--pods", "web-a,web-b"],
        ["cloneset", "web", "--pods", "web-a", "--pods", "web-b"],
        pytest.param(["CloneSet/web", "--pods", "web-a,", "web-b"], id="B18"),
        pytest.param(["--pods", "web-a,", "web-b", "CloneSet/web"], id="B18 first"),
    ],
)
def test_the_official_plugins_spelling_with_no_more_requests(shell: Shell, words: list[str]) -> None:
    with_pods(shell, "web-a", "web-b")

    shell.check(["scaledown", *words], 0, f"{WEB} scaled\n", "deletes web-a, web-b: replicas 5 → 3\n")

    assert [request.method for request in shell.transport.seen] == ["GET", "GET", "PATCH"]


def test_several_pods_of_one_workload_are_replaced_in_scripts_without_asking(shell: Shell) -> None:
    with_pods(shell, "web-a", "web-b")

    shell.check(
        "scale cs/web --delete-pod web-a,web-b --replace",
        0,
        "pod/web-a marked for replacement\npod/web-b marked for replacement\n",
        "",
    )


def test_a_person_is_asked_once_before_pods_are_replaced(shell: Shell) -> None:
    with_pods(shell, "web-a", "web-b")

    shell.check(
        "scale cs/web --delete-pod web-a,web-b --replace",
        3,
        "",
        f"replace web-a, web-b of {WEB}: this deletes pods\ncontext sandbox, namespace shop. Go on? [y/N] "
        "error: not confirmed, nothing was changed\n",
        stdin="no\n",
    )

    assert not shell.writes


@pytest.mark.parametrize(
    ("how", "now"),
    [("", 7), ("--dry-run=server", 5), ("--dry-run=client", 5)],
    ids=["real", "server", "client"],
)
def test_with_o_the_workload_is_printed_as_it_is_afterwards(shell: Shell, how: str, now: int) -> None:
    shell.cloneset()

    code, out, _ = shell.run(["scale", "cs/web", "--replicas", "7", "-o", "json", *how.split()])
    shown = json.loads(out)

    assert (code, shown["kind"], shown["spec"]["replicas"]) == (0, "CloneSet", 7)
    assert shown["spec"]["template"]["spec"]["containers"]
    assert shell.get("web")["spec"]["replicas"] == now


def test_a_name_costs_no_second_read(shell: Shell) -> None:
    shell.cloneset()

    shell.check("scale cs/web --replicas 7 -o name", 0, f"{WEB}\n")

    assert [request.method for request in shell.transport.seen if "clonesets" in request.target] == [
        "GET",
        "PATCH",
    ]
