"""The screen of a dry run, whole (cli.md §4.2)."""

from tests.verbs.conftest import Shell

WEB = "cloneset.apps.kruise.io/web"


def test_the_plan_of_an_image(shell: Shell) -> None:
    claim = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    strategy = {"type": "ReCreate", "partition": "60%"}
    shell.cloneset(updateStrategy=strategy, volumeClaimTemplates=[claim])

    shell.check(
        "set image cs/web app=shop/web:2 --dry-run",
        0,
        f"{WEB} image updated (server dry run)\n",
        """\
Plan: set the image of cloneset.apps.kruise.io/web                   context sandbox, namespace shop

  ~ CloneSet web                                                     recreate pods
      spec.template.spec.containers[app].image
        - shop/web:1
        + shop/web:2

  How it will run
    recreates the pods (update type ReCreate)
    2 of 5 pods change, 3 stay (partition 60%)

  Notes
    ! the volume claims of the pods that go are deleted with them, and their data is lost

Plan: 1 to change, 0 to create, 0 to delete.
Server accepted the dry run. Apply without --dry-run.
""",
    )

    assert [request.method for request in shell.transport.seen] == ["GET", "PATCH"]


def test_the_plan_of_chosen_pods_names_them(shell: Shell) -> None:
    shell.pod("web-a", shell.cloneset())

    _, _, err = shell.run(["scale", "cs/web", "--delete-pod", "web-a", "--dry-run=client"])

    assert (
        "      spec.replicas\n        - 5\n        + 4\n"
        '      spec.scaleStrategy.podsToDelete\n        + ["web-a"]\n'
    ) in err


def test_quiet_and_formats_show_no_plan(shell: Shell) -> None:
    shell.cloneset()

    shell.check("set image cs/web app=x:2 --dry-run -q", 0, "", "")
    shell.check("set image cs/web app=x:2 --dry-run -o name", 0, f"{WEB}\n", "")
