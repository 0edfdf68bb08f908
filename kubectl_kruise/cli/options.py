"""Options that several verbs share, declared once.

A verb takes a whole bundle as one parameter (`which: Selection`, `how: Writing`); `cli.bundles` unfolds it into
options before Typer looks at the function.
"""

from enum import StrEnum
from typing import Annotated, NamedTuple

import typer

from kubectl_kruise.facts.releases import Release

OBJECTS = "Objects"
WRITING = "Writing"


class DryRunMode(StrEnum):
    """The same words as `cluster.port.DryRun`, which only what talks to a cluster imports."""

    NONE = "none"
    CLIENT = "client"
    SERVER = "server"


KruiseVersionOption = Annotated[
    Release,
    typer.Option(
        "--kruise-version", help="Which release of Kruise: 1.9.0, or main, where CloneSet has v1beta1 too."
    ),
]


class Selection(NamedTuple):
    """Which objects: by words, by manifest, or by label."""

    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="(KIND/NAME | KIND NAME)...", help="Objects, e.g. cloneset/web.", show_default=False
        ),
    ] = None
    filename: Annotated[
        list[str] | None,
        typer.Option(
            "-f",
            "--filename",
            metavar="FILE",
            help="Objects named in manifests; - reads stdin.",
            show_default=False,
            rich_help_panel=OBJECTS,
        ),
    ] = None
    recursive: Annotated[
        bool,
        typer.Option(
            "-R", "--recursive", help="Read folders given to -f to the bottom.", rich_help_panel=OBJECTS
        ),
    ] = False
    selector: Annotated[
        str,
        typer.Option(
            "-l",
            "--selector",
            metavar="LABELS",
            help="Objects with these labels, e.g. app=web.",
            show_default=False,
            rich_help_panel=OBJECTS,
        ),
    ] = ""
    all_namespaces: Annotated[
        bool, typer.Option("-A", "--all-namespaces", help="In all namespaces.", rich_help_panel=OBJECTS)
    ] = False
    every: Annotated[
        bool, typer.Option("--all", help="All objects of the kinds given.", rich_help_panel=OBJECTS)
    ] = False


class Writing(NamedTuple):
    """How a write is done, guarded, shown and waited for."""

    dry_run: Annotated[
        DryRunMode,
        typer.Option(
            "--dry-run",
            help="Only try: client sends nothing, server lets the API server judge. Without a value: server.",
            rich_help_panel=WRITING,
        ),
    ] = DryRunMode.NONE
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FORMAT",
            help="Print the object: json, yaml, name or jsonpath=….",
            show_default=False,
            rich_help_panel=WRITING,
        ),
    ] = ""
    wait: Annotated[
        bool,
        typer.Option(
            "--wait", help="Wait until the rollout that this starts is done.", rich_help_panel=WRITING
        ),
    ] = False
    timeout: Annotated[
        str,
        typer.Option(
            "--timeout",
            metavar="DURATION",
            help="Longest wait, e.g. 5m; 0 waits for ever.",
            rich_help_panel=WRITING,
        ),
    ] = "0"
    resource_version: Annotated[
        str,
        typer.Option(
            "--resource-version",
            metavar="VERSION",
            help="Refuse unless the object has this version.",
            show_default=False,
            rich_help_panel=WRITING,
        ),
    ] = ""
    if_revision: Annotated[
        str,
        typer.Option(
            "--if-revision",
            metavar="REVISION",
            help="Refuse unless this is the update revision: a number, a name or a hash.",
            show_default=False,
            rich_help_panel=WRITING,
        ),
    ] = ""
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Refuse when there is nothing to change, or when somebody else manages the object.",
            rich_help_panel=WRITING,
        ),
    ] = False
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.", rich_help_panel=WRITING)] = False

    @property
    def dry(self) -> bool:
        return self.dry_run is not DryRunMode.NONE
