"""Faults of resizing running pods, and of bringing launch priorities to their end."""

from tests.mutants.fault import Fault

RESIZES = (
    Fault(
        "new resources alone take a pod out of service",
        "engine/inplace/readiness.py",
        "return not (vertical_scaling and only_resources) or",
        "return True or",
        ("cs-202", "cs-216"),
    ),
    Fault(
        "a resizePolicy that asks for a restart is not heeded",
        "engine/inplace/resources.py",
        '== "RestartContainer" and policy',
        '== "Restart" and policy',
        ("cs-206",),
    ),
    Fault(
        "a pod may change its QoS class in place",
        "engine/inplace/eligibility.py",
        "if resources and qos_class",
        "if False and qos_class",
        ("cs-210",),
    ),
    Fault(
        "a resize has arrived as soon as it was asked for",
        "engine/inplace/completion.py",
        "if vertical_scaling and state.resources and not",
        "if False and not",
        ("cs-220", "cs-204"),
    ),
    Fault(
        "resources of later batches are forgotten",
        "engine/inplace/batch.py",
        "next_resources=later_resources,",
        "next_resources={},",
        ("cs-214",),
    ),
    Fault(
        "a batch that waits with resources alone is applied",
        "engine/inplace/execution.py",
        "if state.next_images or state.next_references:",
        "if state.waiting:",
        ("cs-214",),
    ),
    Fault(
        "resources of all batches are given with the first",
        "engine/inplace/batch.py",
        "return _split(change.resources, pick_batch(pod, change))[0]",
        "return change.resources",
        ("cs-214",),
    ),
    Fault(
        "a refused resize does not stop the update of the pod",
        "controllers/writing/inplace.py",
        "fresh = self._resizer.resize(fresh, first_resources(fresh, change))",
        "pass",
        ("cs-212", "cs-202"),
    ),
)

LAUNCHES = (
    Fault(
        "launch priorities are never brought to their end",
        "engine/launch_priority.py",
        "last=min(waiting) == max(waiting)",
        "last=False",
        ("cs-034", "cs-248"),
    ),
    Fault(
        "a barrier that is open already counts as another opening",
        "engine/launch_priority.py",
        "in opened:\n        return None",
        "in ():\n        return None",
        ("cs-086", "cs-034"),
    ),
)

RESIZE_FAULTS = (*RESIZES, *LAUNCHES)
