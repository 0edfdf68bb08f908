from kubectl_kruise.facts.kinds import DEPLOYMENT
from tests.verbs.conftest import Shell

WEB = "cloneset.apps.kruise.io/web"


def images(shell: Shell) -> list[str]:
    return [each["image"] for each in shell.get("web")["spec"]["template"]["spec"]["containers"]]


def test_one_container_with_two_requests(shell: Shell) -> None:
    shell.cloneset()

    shell.check(
        "set image cloneset/web app=shop/web:2",
        0,
        f"{WEB} image updated\n",
        "containers[app] shop/web:1 → shop/web:2\n"
        "updates in place: the containers restart, pods keep their names, IPs and nodes\n",
    )

    assert images(shell) == ["shop/web:2", "envoy:1"]
    assert [request.method for request in shell.transport.seen] == ["GET", "PATCH"]


def test_all_containers(shell: Shell) -> None:
    shell.cloneset()

    shell.check(["set", "image", "cs/web", "*=all:2"], 0, f"{WEB} image updated\n")

    assert images(shell) == ["all:2", "all:2"]


def test_quiet_says_nothing(shell: Shell) -> None:
    shell.cloneset()

    shell.check("-q set image cs/web app=x:2", 0, "", "")


def test_the_images_of_before_are_unchanged(shell: Shell) -> None:
    shell.cloneset()

    shell.check(
        "set image cs/web app=shop/web:1",
        0,
        f"{WEB} unchanged\n",
        'cloneset "web": the images are set already\n',
    )


def test_an_unknown_container_names_those_there_are(shell: Shell) -> None:
    shell.cloneset()

    shell.check(
        "set image cs/web foo=x:2",
        4,
        "",
        'error: cloneset "web" has no container "foo"\n  hint: containers: app, proxy\n',
    )

    assert not shell.writes


def test_no_image_is_a_usage_error(shell: Shell) -> None:
    shell.check(
        "set image cs/web", 2, "", "error: no image given\n  hint: CONTAINER=IMAGE, e.g. app=shop/web:1.9.0\n"
    )


def test_deployments_too(shell: Shell) -> None:
    shell.deployment()

    shell.check("set image deployment web app=x:2", 0, "deployment.apps/web image updated\n")

    assert shell.get("web", DEPLOYMENT)["spec"]["template"]["spec"]["containers"][0]["image"] == "x:2"


def test_claims_that_go_with_recreated_pods_are_warned_of(shell: Shell) -> None:  # cloneset.md §26 Q8
    claim = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    shell.cloneset(updateStrategy={"type": "ReCreate"}, volumeClaimTemplates=[claim])

    shell.check(
        "set image cs/web app=x:2",
        0,
        f"{WEB} image updated\n",
        "Warning: the volume claims of the pods that go are deleted with them, and their data is lost\n"
        "containers[app] shop/web:1 → x:2\n"
        "recreates the pods (update type ReCreate)\n",
    )


def test_fields_this_tool_does_not_know_are_kept(shell: Shell) -> None:  # cli.md B33
    shell.cloneset(progressDeadlineSeconds=111)

    shell.check("set image cs/web app=x:2", 0)

    assert shell.get("web")["spec"]["progressDeadlineSeconds"] == 111


def test_who_asks_for_a_format_gets_the_object_alone(shell: Shell) -> None:  # cli.md §3.4
    shell.cloneset()

    shell.check("set image cs/web app=x:2 -o name", 0, f"{WEB}\n", "")
    shell.check("set image cs/web app=x:2 -o name", 0, f"{WEB}\n", "")
