"""The store keeps every state once, numbers each change, and can tell what was at an earlier moment."""

from hypothesis import given
from hypothesis import strategies as st

from kubectl_kruise.cluster.clock import VirtualClock
from kubectl_kruise.sandbox import store as stores
from kubectl_kruise.sandbox.store import Store


def _object(name, namespace="", **content):
    return {"metadata": {"name": name, **({"namespace": namespace} if namespace else {})}, **content}


def test_every_change_takes_the_next_version():
    store = Store(VirtualClock())
    first = store.put("things", _object("a"))
    second = store.put("things", _object("a", spec=1))
    gone = store.remove(second)

    assert [first.version, second.version, gone.version] == [2, 3, 4]
    assert [event.type for event in store.since(1)] == ["ADDED", "MODIFIED", "DELETED"]


def test_a_deletion_carries_the_last_state_with_its_own_version():
    store = Store(VirtualClock())
    gone = store.remove(store.put("things", _object("a", spec=1)))

    assert gone.object == {"metadata": {"name": "a", "resourceVersion": "3"}, "spec": 1}


def test_objects_are_listed_by_namespace_and_name_in_byte_order():
    store = Store(VirtualClock())
    for namespace, name in (("b", "a"), ("a", "b"), ("a-b", "a"), ("a", "a")):
        store.put("things", _object(name, namespace))

    assert [stored.key for stored in store.items("things")] == ["a-b/a", "a/a", "a/b", "b/a"]
    assert [stored.key for stored in store.items("things", "a")] == ["a/a", "a/b"]


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.booleans()), max_size=40))
def test_any_earlier_moment_can_be_listed_again(steps):
    store = Store(VirtualClock())
    moments = {store.version: []}
    for name, keeps in steps:
        held = store.get("things", "", name)
        if held and not keeps:
            store.remove(held)
        else:
            store.put("things", _object(name))
        moments[store.version] = [(found.name, found.version) for found in store.items("things")]

    for version, state in moments.items():
        assert [(found.name, found.version) for found in store.items_at("things", version)] == state


def test_versions_go_on_counting_when_everything_is_forgotten():
    store = Store(VirtualClock())
    before = store.put("things", _object("a")).version
    store.clear()

    assert store.items("things") == []
    assert store.oldest > before
    assert store.put("things", _object("a")).version > before + 1


def test_the_log_keeps_its_length_and_its_age(monkeypatch):
    monkeypatch.setattr(stores, "LOG_EVENTS", 10)
    clock = VirtualClock()
    store = Store(clock)
    for _ in range(30):
        store.put("things", _object("a"))
    assert store.oldest == 1, "nothing is ten minutes old yet"

    clock.advance(stores.LOG_SECONDS + 1)
    for _ in range(10):
        store.put("things", _object("a"))
    assert store.version - store.oldest == 10


def test_an_object_is_encoded_once():
    stored = Store(VirtualClock()).put("things", _object("a"))

    assert stored.encode() is stored.encode()


def test_a_state_that_was_replaced_reads_as_before_and_keeps_only_its_bytes():
    store = Store(VirtualClock())
    first = store.put("things", _object("a", spec={"image": "app:1"}))
    read = first.object
    first.forms["yaml"] = "made of it"
    store.put("things", _object("a", spec={"image": "app:2"}))

    assert first.object == read
    assert first.object is not read
    assert first.forms == {}


def test_large_states_fill_only_so_much_memory(monkeypatch):
    monkeypatch.setattr(stores, "LARGEST_LOG", 10_000)
    store = Store(VirtualClock())
    for number in range(100):
        store.put("things", _object("a", data=f"{number:01000}"))

    states = [event.old for event in store.since(store.oldest) if event.old is not None]
    assert 3 < len(states) <= 10
    assert store.version == 101


def test_changes_of_one_kind_are_found_by_version_also_after_older_ones_were_forgotten(monkeypatch):
    monkeypatch.setattr(stores, "LARGEST_LOG", 2_000)
    store = Store(VirtualClock())
    for number in range(60):
        store.put("things" if number % 3 else "others", _object("a", data=f"{number:0100}"))

    every = store.since(store.oldest)
    half = every[len(every) // 2].version
    assert store.oldest > 1
    assert store.since(half, "others") == [
        event for event in every if event.version > half and event.new.resource == "others"
    ]
    assert {event.new.resource for event in store.since(store.oldest, "things")} == {"things"}
    assert store.since(store.oldest, "nothing") == []
