"""Lists of objects for programs, and their order."""

from collections.abc import Sequence

from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.render.machine import check_format

COLUMNS = "custom-columns="


def check_list_format(output: str) -> None:
    """Raise UsageError for a format that lists are not printed in."""
    if output == COLUMNS.rstrip("="):
        raise UsageError(
            "-o custom-columns= needs columns", hint="e.g. -o custom-columns=NAME:.metadata.name"
        )
    if not output.startswith(COLUMNS):
        check_format(output, extra=("wide", f"{COLUMNS}HEADER:PATH"))


def render_list(workloads: Sequence[Workload], output: str, *, one: bool, headers: bool) -> str:
    """Give objects as the server has them: `one` as itself, several as a List, as kubectl does."""
    objects = [workload.raw for workload in workloads]
    if output.startswith(COLUMNS):
        from kubectl_kruise.render.custom_columns import parse_columns, render_columns

        return render_columns(objects, parse_columns(output.removeprefix(COLUMNS)), headers=headers)
    if output == "name":
        return "".join(f"{workload.kind.display}/{workload.name}\n" for workload in workloads)
    from kubectl_kruise.render.machine import render_object, without_managed_fields

    items = [without_managed_fields(raw) for raw in objects]
    document = items[0] if one else {"apiVersion": "v1", "kind": "List", "metadata": {}, "items": items}
    return render_object(document, output, name="")


def sorted_by(workloads: Sequence[Workload], path: str) -> list[Workload]:
    """Sort by what stands at a path: numbers as numbers, objects without it first."""
    from kubectl_kruise.render.jsonpath import find

    def key(workload: Workload) -> tuple[int, float, str]:
        found = find(path.strip("{}"), workload.raw, workload.raw)
        value = found[0] if found else None
        if value is None:
            return (0, 0.0, "")
        return (1, float(value), "") if isinstance(value, int | float) else (2, 0.0, str(value))

    return sorted(workloads, key=key)
