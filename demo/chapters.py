"""What the demo plays and the tour tells: every command as a user types it, with the exit code it must have."""

from enum import StrEnum
from typing import Final, NamedTuple


class Step(NamedTuple):
    """One command; `capture` keeps its output in a shell variable instead of showing it."""

    command: str
    exit_code: int = 0
    capture: str = ""


class Topic(StrEnum):
    """What a chapter needs: those of one topic can be played without the others."""

    SANDBOX = "sandbox"
    CLONESET = "cloneset"
    STATEFULSET = "statefulset"
    MIGRATE = "migrate"


class Chapter(NamedTuple):
    """`text` is Markdown and stands before the commands."""

    title: str
    text: str
    steps: tuple[Step, ...]
    topic: Topic = Topic.CLONESET


WORKLOAD: Final = "clone/cs-no-pvc-sample"
PODS: Final = "kubectl get pods -l app=cs-no-pvc-sample -o wide"

SHOP: Final = "kubectl kruise get deployments,clonesets -l app=shop"
WHO: Final = "kubectl get pods -l app=shop -o custom-columns-file=demo/who.txt"
SAME: Final = 'cmp $NOTES/before $NOTES/after && echo "the same four pods"'

GUESTBOOK: Final = "kubectl get pods -l app=guestbook -o custom-columns-file=demo/who.txt"
NATIVE: Final = "kubectl get pods -l app=native -o custom-columns-file=demo/who.txt"
SETS: Final = "kubectl kruise get asts,statefulsets"
SAME_PODS: Final = (
    "cmp <(awk '{print $1, $2, $3}' $NOTES/old) <(awk '{print $1, $2, $3}' $NOTES/new)"
    ' && echo "the same names, uids and addresses"'
)
SAME_THREE: Final = 'cmp $NOTES/first $NOTES/last && echo "the same three pods"'

CHAPTERS: Final = (
    Chapter(
        "A cluster of your own",
        "The sandbox is an API server with three simulated nodes. It listens on 127.0.0.1 only and keeps a kubeconfig "
        "of its own; any kubectl can talk to it.",
        (
            Step("kubectl kruise sandbox start"),
            Step("kubectl kruise sandbox kubeconfig > $SANDBOX_KUBECONFIG"),
            Step("kubectl get nodes"),
        ),
        Topic.SANDBOX,
    ),
    Chapter(
        "A Deployment, for later",
        "Four pods of a plain Deployment. They wait until the end of the tour, where they get another owner and notice "
        "nothing of it.",
        (
            Step("kubectl create deployment shop --image=nginx:1.18-alpine --replicas=4"),
            Step("kubectl kruise rollout status deployment/shop --timeout 30s"),
        ),
        Topic.MIGRATE,
    ),
    Chapter(
        "All at once, or one by one",
        "The same three pods twice, each of which takes two seconds to start. An Advanced StatefulSet whose podManagementPolicy "
        "is Parallel starts them together; the native StatefulSet waits for each before it creates the next. Its manifest is "
        "still in v1alpha1: `convert` makes it v1beta1, whatever else stands in the file.",
        (
            Step(
                "kubectl kruise convert -f demo/guestbook.yaml | kubectl apply -f - -f demo/guestbook-native.yaml"
            ),
            Step("kubectl kruise rollout status asts/guestbook statefulset/native --timeout 60s"),
            Step(
                "kubectl get pods -l 'app in (guestbook, native)' -o custom-columns-file=demo/when.txt"
            ),
            Step("kubectl get asts"),
        ),
        Topic.STATEFULSET,
    ),
    Chapter(
        "A new image for fixed names",
        "With InPlaceIfPossible and a maxUnavailable of 3 the containers of all three pods restart at once. The readiness gate "
        "InPlaceUpdateReady of the template takes a pod out of its Services meanwhile. Names, uids and addresses are noted "
        "before and compared afterwards; what grows is the number of restarts.",
        (
            Step(f"{GUESTBOOK} | tee $NOTES/old"),
            Step("kubectl kruise set image asts/guestbook guestbook=openkruise/guestbook:v2 --wait --timeout 60s"),
            Step(f"{GUESTBOOK} | tee $NOTES/new"),
            Step(SAME_PODS),
            Step("kubectl get asts"),
        ),
        Topic.STATEFULSET,
    ),
    Chapter(
        "Create a CloneSet",
        "A plain manifest and a plain `kubectl apply`. `rollout status` waits until every pod is available, and says so "
        "with its exit code.",
        (
            Step("kubectl apply -f demo/cs-no-pvc-sample.yaml"),
            Step(f"kubectl kruise rollout status {WORKLOAD} --timeout 30s"),
            Step(PODS),
        ),
    ),
    Chapter(
        "Update the image in place",
        "The update strategy is InPlaceIfPossible with five seconds of grace: a pod leaves its Services, waits, and then "
        "one container restarts with the new image. Asked while that happens, `rollout status -d` shows what the annotations "
        "of each pod say as a table. Afterwards the pods have the same names and the same IPs, and one restart.",
        (
            Step(f"kubectl kruise set image {WORKLOAD} nginx=nginx:1.19-alpine"),
            Step("sleep 1"),
            Step(f"kubectl kruise rollout status {WORKLOAD} --watch=false -d"),
            Step(f"kubectl kruise rollout status {WORKLOAD} --timeout 60s"),
            Step(PODS),
            Step(f"kubectl kruise tree {WORKLOAD}"),
        ),
    ),
    Chapter(
        "A canary by partition",
        "The partition says how many pods stay on the old revision. With a partition of 3, one pod of four gets the new "
        "image; the target counts as met, and nothing more happens until the partition moves. The grace period is "
        "shortened first, so that the tour is.",
        (
            Step(
                f"kubectl patch {WORKLOAD} --type merge -p "
                '\'{"spec":{"updateStrategy":{"maxUnavailable":"50%","inPlaceUpdateStrategy":{"gracePeriodSeconds":1}}}}\''
            ),
            Step(f"kubectl kruise scale {WORKLOAD} --replicas 4 --wait --timeout 30s"),
            Step(f"kubectl kruise rollout partition {WORKLOAD} 3"),
            Step(f"kubectl kruise set image {WORKLOAD} nginx=nginx:1.20-alpine"),
            Step(f"kubectl kruise rollout status {WORKLOAD} --timeout 30s"),
        ),
    ),
    Chapter(
        "Pause and resume",
        "While a rollout is paused `rollout status` does not hang: it stops with exit code 8.",
        (
            Step(f"kubectl kruise rollout pause {WORKLOAD}"),
            Step(f"kubectl kruise rollout partition {WORKLOAD} 0"),
            Step(f"kubectl kruise rollout status {WORKLOAD} --timeout 30s", exit_code=8),
            Step(f"kubectl kruise rollout resume {WORKLOAD}"),
            Step(f"kubectl kruise rollout status {WORKLOAD} --timeout 60s"),
        ),
    ),
    Chapter(
        "A StatefulSet becomes an Advanced StatefulSet",
        "The pods of the native StatefulSet get another owner and keep their names and addresses, and claims if they had any; "
        "from then on they can be updated in place as well. A migration waits until pods are half a minute old, so that the "
        "cluster's garbage collector surely knows whose they are; after the chapters before, these are.",
        (
            Step(f"{NATIVE} | tee $NOTES/first"),
            Step("kubectl kruise migrate statefulset/native --yes --settle 2s"),
            Step(SETS),
            Step(f"{NATIVE} | tee $NOTES/last"),
            Step(SAME_THREE),
        ),
        Topic.STATEFULSET,
    ),
    Chapter(
        "A bad image, and back",
        "An image that cannot be pulled. `rollout status` names the cause and fails with exit code 1 as soon as the error "
        "has lasted (three seconds here, thirty by default), long before any time-out. `undo` restores the template of "
        "the revision before, exactly.",
        (
            Step(f"kubectl kruise set image {WORKLOAD} nginx=nginx:bad"),
            Step(f"kubectl kruise rollout status {WORKLOAD} --fail-fast=3s --timeout 60s", exit_code=1),
            Step(f"kubectl kruise rollout undo {WORKLOAD}"),
            Step(f"kubectl kruise rollout status {WORKLOAD} --timeout 60s"),
            Step(f"kubectl kruise rollout history {WORKLOAD}"),
        ),
    ),
    Chapter(
        "Restart, and keep the pods",
        "Kruise's node daemon restarts containers in their pods, two at a time here, because maxUnavailable is 50 % of four: "
        "names and addresses stay.",
        (
            Step(f"kubectl kruise rollout restart {WORKLOAD} --in-place"),
            Step(PODS),
        ),
    ),
    Chapter(
        "Delete the pod you choose",
        "Scaling down by name: one write lowers the replicas and names the pod, so that exactly this pod goes.",
        (
            Step(
                "kubectl get pods -l app=cs-no-pvc-sample -o jsonpath='{.items[1].metadata.name}'", capture="POD"
            ),
            Step(f"kubectl kruise scale {WORKLOAD} --delete-pod $POD --wait --timeout 30s"),
            Step(PODS),
            Step(f"kubectl kruise get {WORKLOAD}"),
        ),
    ),
    Chapter(
        "A Deployment becomes a CloneSet",
        "The pods go on running: a CloneSet is made, locked, the Deployment and its ReplicaSet are deleted without their "
        "pods, and each pod gets its new owner by one patch. Names, uids, addresses and restart counts are noted before, "
        "and `cmp` would fail if any of them were another one afterwards.",
        (
            Step(SHOP),
            Step(f"{WHO} | tee $NOTES/before"),
            Step("kubectl kruise migrate deployment/shop --yes --settle 2s"),
            Step(SHOP),
            Step(f"{WHO} | tee $NOTES/after"),
            Step(SAME),
        ),
        Topic.MIGRATE,
    ),
    Chapter(
        "And it is a Deployment again",
        "Until it is cleaned up the migration can be undone, from any point that it may have reached. Again the pods "
        "stay what they are.",
        (
            Step("kubectl kruise migrate deployment/shop --rollback --yes"),
            Step(SHOP),
            Step(f"{WHO} | tee $NOTES/after"),
            Step(SAME),
        ),
        Topic.MIGRATE,
    ),
    Chapter(
        "And it is a StatefulSet again",
        "The other migration is undone as well: three pods, three owners one after the other, and no restart.",
        (
            Step("kubectl kruise migrate statefulset/native --rollback --yes --settle 2s"),
            Step(SETS),
            Step(f"{NATIVE} | tee $NOTES/last"),
            Step(SAME_THREE),
        ),
        Topic.STATEFULSET,
    ),
    Chapter("The end", "Nothing is left behind.", (Step("kubectl kruise sandbox stop"),), Topic.SANDBOX),
)  # fmt: skip
