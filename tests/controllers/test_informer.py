"""The cache of a collection: what handlers hear, what indexes find, and what late events cannot do."""

from collections.abc import Iterator
from typing import Any

import pytest

from kubectl_kruise.cluster.port import Change
from kubectl_kruise.controllers.informer import Informer, by_owner_uid
from kubectl_kruise.controllers.queue import Key
from kubectl_kruise.errors import ExpiredError
from kubectl_kruise.objects.raw import Raw, name_of, version_of


def raw(name: str, version: int, *, uid: str = "", owner: str = "") -> Raw:
    meta: Raw = {"namespace": "shop", "name": name, "uid": uid or name, "resourceVersion": str(version)}
    if owner:
        meta["ownerReferences"] = [{"uid": owner}]
    return {"metadata": meta}


class Scripted:
    """Gives each list and each watch it is told to give; a watch may be an error."""

    namespace, context, server = "shop", "", ""

    def __init__(self, *lists: list[Raw], watches: list[Any] | None = None) -> None:
        self.lists, self.watches = list(lists), watches or []
        self.since: list[str] = []

    def list(self, _path: str, **_: object) -> Raw:
        return {"metadata": {"resourceVersion": "10"}, "items": self.lists.pop(0)}

    def watch(self, _path: str, since: str, **_: object) -> Iterator[Change]:
        self.since.append(since)
        found = self.watches.pop(0) if self.watches else []
        if isinstance(found, Exception):
            raise found
        yield from found


Heard = list[tuple[str, str]]


def listening(cluster: Scripted) -> tuple[Informer, Heard]:
    heard: Heard = []

    def hear(old: Raw | None, new: Raw | None) -> None:
        what = "new" if old is None else "gone" if new is None else "changed"
        heard.append((what, name_of(new or old or {})))

    informer = Informer(cluster, "/pods", {"owner": by_owner_uid})  # type: ignore[arg-type]
    informer.on_change(hear)
    return informer, heard


def test_a_list_then_what_happens_after_it() -> None:
    changes = [
        Change("MODIFIED", raw("a", 11)),
        Change("ADDED", raw("b", 12)),
        Change("DELETED", raw("a", 13)),
    ]
    cluster = Scripted([raw("a", 5)], watches=[changes])
    informer, heard = listening(cluster)

    assert [informer.poll(), informer.poll(), informer.poll()] == [True, True, False]
    assert heard == [("new", "a"), ("changed", "a"), ("new", "b"), ("gone", "a")]
    assert [name_of(each) for each in informer.all("shop")] == ["b"]
    assert cluster.since == ["10", "13"]


def test_an_expired_watch_tells_the_difference_only() -> None:
    cluster = Scripted(
        [raw("a", 5), raw("b", 5), raw("c", 5)],
        [raw("b", 5), raw("c", 20), raw("d", 21)],
        watches=[ExpiredError("too old")],
    )
    informer, heard = listening(cluster)
    informer.poll()
    del heard[:]

    assert informer.poll()
    assert heard == [("gone", "a"), ("changed", "c"), ("new", "d")]


def test_who_comes_later_hears_of_what_is_there() -> None:
    informer, _ = listening(Scripted([raw("a", 5)]))
    informer.poll()
    heard: list[str] = []

    informer.on_change(lambda old, new: heard.append(f"{old} {name_of(new or {})}"))

    assert heard == ["None a"]


@pytest.mark.parametrize(
    "late",
    [
        Change("MODIFIED", raw("a", 11)),
        Change("ADDED", raw("a", 12)),
        Change("DELETED", raw("a", 9, uid="before")),
    ],
    ids=["older", "once more", "the end of its predecessor"],
)
def test_what_comes_twice_or_too_late_changes_nothing(late: Change) -> None:
    informer, heard = listening(Scripted([raw("a", 12)]))
    informer.poll()
    del heard[:]

    informer.feed(late)

    assert heard == []
    found = informer.get(Key("shop", "a"))
    assert found is not None
    assert version_of(found) == "12"


def test_nothing_brings_a_deleted_object_back() -> None:
    informer, _ = listening(Scripted([raw("a", 5)]))
    informer.poll()

    informer.feed(Change("DELETED", raw("a", 11)))
    informer.feed(Change("MODIFIED", raw("a", 12)))

    assert informer.get(Key("shop", "a")) is None


def test_another_object_of_the_same_name_is_told_as_an_end_and_a_beginning() -> None:
    informer, heard = listening(Scripted([raw("a", 5)]))
    informer.poll()

    informer.feed(Change("MODIFIED", raw("a", 11, uid="second")))

    assert heard[1:] == [("gone", "a"), ("new", "a")]


def test_indexes_follow_their_objects() -> None:
    informer, _ = listening(Scripted([raw("a", 5, owner="x"), raw("b", 5, owner="x")]))
    informer.poll()

    informer.feed(Change("MODIFIED", raw("a", 11, owner="y")))
    informer.feed(Change("DELETED", raw("b", 12, owner="x")))

    assert informer.indexed("owner", "x") == []
    assert [name_of(each) for each in informer.indexed("owner", "y")] == ["a"]


def test_a_bug_in_one_handler_is_not_kept_from_the_log_nor_the_change_from_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    informer = Informer(Scripted([raw("a", 5)]), "/pods")  # type: ignore[arg-type]
    heard: list[str] = []

    def stumble(_old: Raw | None, _new: Raw | None) -> None:
        raise ZeroDivisionError

    informer.on_change(stumble)
    informer.on_change(lambda _, new: heard.append(name_of(new or {})))
    informer.poll()

    assert heard == ["a"]
    assert "ZeroDivisionError" in caplog.text


def test_a_late_deletion_of_the_one_before_leaves_the_one_after() -> None:
    informer, heard = listening(Scripted([]))
    informer.feed(Change("ADDED", raw("a", 11, uid="first")))
    informer.feed(Change("ADDED", raw("a", 13, uid="second")))
    informer.feed(Change("DELETED", raw("a", 12, uid="first")))

    assert heard == [("new", "a"), ("gone", "a"), ("new", "a")]
    assert [version_of(found) for found in informer.all()] == ["13"]


def test_a_watch_is_resumed_behind_the_newest_event() -> None:
    cluster = Scripted([])
    informer, _ = listening(cluster)
    informer.poll()
    for name, version in (("b", 12), ("a", 11)):
        informer.feed(Change("ADDED", raw(name, version)))
    informer.poll()

    assert cluster.since == ["12"]
