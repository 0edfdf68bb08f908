"""List workloads with their rollout state."""

import sys
from typing import Annotated

import typer

from kubectl_kruise.cli.listing import find_workloads
from kubectl_kruise.cli.options import Selection
from kubectl_kruise.cli.session import Session
from kubectl_kruise.errors import UsageError
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.workload import Workload
from kubectl_kruise.render.machine import check_format
from kubectl_kruise.render.paint import paint
from kubectl_kruise.render.terminal import wants_color
from kubectl_kruise.views.get import Columns, get_table


def get(
    ctx: typer.Context,
    which: Selection,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FORMAT",
            help="wide, json, yaml, name, jsonpath=… or custom-columns=….",
            show_default=False,
        ),
    ] = "",
    no_headers: Annotated[bool, typer.Option("--no-headers", help="Leave the header line out.")] = False,
    sort_by: Annotated[
        str,
        typer.Option(
            "--sort-by",
            metavar="PATH",
            help="Sort by what stands at a path, e.g. .metadata.creationTimestamp.",
            show_default=False,
        ),
    ] = "",
    label_columns: Annotated[
        list[str] | None,
        typer.Option(
            "-L",
            "--label-columns",
            metavar="KEY",
            help="A column for each of these labels; repeatable.",
            show_default=False,
        ),
    ] = None,
    watch: Annotated[bool, typer.Option("-w", "--watch", help="Go on with every change.")] = False,
) -> None:
    """List workloads with their rollout state.

    Native and Kruise workloads stand side by side; kinds that are not installed are skipped.

    Examples:
      # Everything in the namespace
      kubectl kruise get
      # CloneSets of one team in all namespaces
      kubectl kruise get clonesets -A -l team=shop
      # One CloneSet as the server has it
      kubectl kruise get cs/web -o yaml
    """
    session: Session = ctx.obj
    check_format(
        output.partition("=")[0] if output.startswith("custom-columns=") else output,
        extra=("wide", "custom-columns"),
    )
    if output == "custom-columns":
        raise UsageError(
            "-o custom-columns= needs columns", hint="e.g. -o custom-columns=NAME:.metadata.name"
        )
    workloads, collections = find_workloads(session, which)
    if sort_by:
        workloads = _sorted(workloads, sort_by)
    keys = tuple(key for text in label_columns or [] for key in text.split(","))
    wanted = Columns(which.all_namespaces, output == "wide", keys)
    if watch:
        from kubectl_kruise.cli.watching import watch_table

        watch_table(session, workloads, collections, wanted, labels=which.selector, headers=not no_headers)
    elif output in ("", "wide"):
        lines = get_table(workloads, wanted, session.clock.time(), headers=not no_headers)
        session.show(paint(lines, color=wants_color(sys.stdout, session.flags.color)))
        if not lines:
            where = "" if which.all_namespaces else f' in namespace "{session.namespace}"'
            session.note(f"no workloads found{where}")
    else:
        one = not collections and len(workloads) == 1
        session.show(
            _documents(
                [workload.raw for workload in workloads], workloads, output, one=one, headers=not no_headers
            )
        )


def _documents(
    objects: list[Raw], workloads: list[Workload], output: str, *, one: bool, headers: bool
) -> str:
    """Give objects as the server has them; several as a List, as kubectl does."""
    if output.startswith("custom-columns="):
        from kubectl_kruise.render.custom_columns import parse_columns, render_columns

        return render_columns(objects, parse_columns(output.partition("=")[2]), headers=headers)
    if output == "name":
        return "".join(f"{workload.kind.display}/{workload.name}\n" for workload in workloads)
    from kubectl_kruise.render.machine import render_object, without_managed_fields

    items = [without_managed_fields(raw) for raw in objects]
    document = items[0] if one else {"apiVersion": "v1", "kind": "List", "metadata": {}, "items": items}
    return render_object(document, output, name="")


def _sorted(workloads: list[Workload], path: str) -> list[Workload]:
    """Sort by what stands at a path: numbers as numbers, objects without it first."""
    from kubectl_kruise.render.jsonpath import find

    def key(workload: Workload) -> tuple[int, float, str]:
        found = find(path.strip("{}"), workload.raw, workload.raw)
        value = found[0] if found else None
        if value is None:
            return (0, 0.0, "")
        return (1, float(value), "") if isinstance(value, int | float) else (2, 0.0, str(value))

    return sorted(workloads, key=key)
