import pytest

from kubectl_kruise.cli.finding.targets import Named, Target, parse_manifests, parse_words
from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.kinds import CLONESET, DEPLOYMENT, NATIVE_STATEFULSET, STATEFULSET, Kind
from kubectl_kruise.objects.notation.reference import KindWord

ANY = KindWord(CLONESET)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["cloneset/web"], [Named(ANY, "web")]),
        (["CloneSet/web"], [Named(ANY, "web")]),
        (["clonesets.apps.kruise.io/web"], [Named(ANY, "web")]),
        (["clonesets.apps/web"], [Named(ANY, "web")]),
        (["clonesets.v1alpha1.apps.kruise.io/web"], [Named(KindWord(CLONESET, "v1alpha1"), "web")]),
        (["clone/a", "deploy/b"], [Named(ANY, "a"), Named(KindWord(DEPLOYMENT), "b")]),
        (["cs", "a", "b"], [Named(ANY, "a"), Named(ANY, "b")]),
        (["clonesets"], [Named(ANY, "")]),
        (["clonesets,deployments"], [Named(ANY, ""), Named(KindWord(DEPLOYMENT), "")]),
        (["web"], [Named(None, "web")]),
        ([], []),
    ],
    ids=str,
)
def test_words_name_objects_as_with_kubectl(words: list[str], found: list[Named]) -> None:  # cli.md §3.2
    assert parse_words(words) == found


@pytest.mark.parametrize(
    ("word", "kind"),
    [("sts", NATIVE_STATEFULSET), ("statefulset", NATIVE_STATEFULSET), ("asts", STATEFULSET),
     ("statefulsets.apps.kruise.io", STATEFULSET), ("statefulsets.apps", NATIVE_STATEFULSET),
     ("sts.apps.kruise.io", STATEFULSET), ("AdvancedStatefulSet", STATEFULSET)],
)  # fmt: skip
def test_native_and_kruise_kinds_of_one_name_are_told_apart(word: str, kind: Kind) -> None:
    (named,) = parse_words([f"{word}/web"])

    assert named.kind is not None
    assert named.kind.kind is kind


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["clonset/web"], ['error: unknown kind "clonset"', "  hint: did you mean cloneset?"]),
        (["a", "b"], ['error: unknown kind "a"', "  hint: e.g. cloneset, asts, deployment, statefulset"]),
        (
            ["cloneset/web", "cloneset", "x"],
            ['error: "cloneset" is not of the form KIND/NAME', "  hint: do not mix KIND/NAME with KIND NAME"],
        ),
        (
            ["cloneset/"],
            [
                'error: "cloneset/" is not of the form KIND/NAME',
                "  hint: do not mix KIND/NAME with KIND NAME",
            ],
        ),
        (
            ["cloneset/web", "true"],
            ['error: "true" is no object', "  hint: give a switch its value with =, e.g. --watch=true"],
        ),
        (
            ["false"],
            ['error: "false" is no object', "  hint: give a switch its value with =, e.g. --watch=false"],
        ),
    ],
    ids=str,
)
def test_words_that_name_nothing_are_explained(words: list[str], lines: list[str]) -> None:
    with pytest.raises(UsageError) as refusal:
        parse_words(words)

    assert refusal.value.lines() == lines


def manifest(
    kind: str = "CloneSet", version: str = "apps.kruise.io/v1alpha1", **meta: str
) -> dict[str, object]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "web", **meta}}


def test_manifests_name_objects_and_lists_are_opened() -> None:
    service = manifest("Service", "v1")
    documents = [
        {"kind": "List", "items": [manifest(namespace="a")]},
        manifest("Deployment", "apps/v1"),
        service,
    ]

    targets, unknown = parse_manifests(documents, "default", "")

    assert targets == [Target(CLONESET, "a", "web", "v1alpha1"), Target(DEPLOYMENT, "default", "web", "v1")]
    assert unknown == [service]


def test_a_manifest_of_another_namespace_than_asked_for_is_refused() -> None:
    with pytest.raises(UsageError, match='"web" is of namespace "a", but -n says "b"'):
        parse_manifests([manifest(namespace="a")], "b", "b")


def test_the_namespace_of_the_context_contradicts_nobody() -> None:
    targets, _ = parse_manifests([manifest(namespace="a")], "b", "")

    assert targets[0].namespace == "a"


def test_an_item_without_a_kind_is_named_by_its_place() -> None:  # fault B192
    with pytest.raises(UsageError, match=r"items\[1\] of a List has no kind"):
        parse_manifests([{"kind": "List", "items": [manifest(), {"metadata": {}}]}], "default", "")
