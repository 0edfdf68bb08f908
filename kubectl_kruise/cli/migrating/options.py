"""The options of `migrate`."""

from enum import StrEnum
from typing import Annotated, Final, NamedTuple

import typer

from kubectl_kruise.cli.options import DryRunMode
from kubectl_kruise.engine.migration.journal import Mode
from kubectl_kruise.operations.migrate.before.outlook import Order
from kubectl_kruise.operations.migrate.journal.storing import Place

GRADUAL: Final = "With --mode surge"
OVERRIDES: Final = "Overrides"
SAFETY: Final = "Going on, and back"
OFFICIAL: Final = "The official plugin's spelling"


class Act(StrEnum):
    """What is to be done with a migration."""

    START = "start"
    CREATE = "create"
    COPY = "copy"
    RESUME = "resume"
    ROLLBACK = "rollback"
    STATUS = "status"


class Migrating(NamedTuple):
    """What to do with the workloads chosen."""

    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="KIND",
            help="What it becomes: cloneset, deployment, asts or statefulset.",
            show_default="its twin",
        ),
    ] = ""
    mode: Annotated[
        Mode,
        typer.Option(
            "--mode",
            help="adopt hands the running pods over; surge moves to new pods a few at a time; handover makes the pods"
            " of a set anew, one ordinal at a time; recreate stops all pods first.",
        ),
    ] = Mode.ADOPT
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Let the CloneSet update pods in place where possible.")
    ] = False
    to_name: Annotated[
        str,
        typer.Option("--to-name", metavar="NAME", help="Name of the new workload.", show_default="the same"),
    ] = ""
    rewrite_refs: Annotated[
        str,
        typer.Option(
            "--rewrite-refs",
            metavar="KINDS",
            help="Point what names the old workload at the new one: all, or some of hpa,keda,vpa,pub,…",
            show_default="only report it",
        ),
    ] = ""
    settle: Annotated[
        str,
        typer.Option(
            "--settle", metavar="DURATION", help="How long to watch in the end that every pod stays."
        ),
    ] = "15s"
    timeout: Annotated[
        str,
        typer.Option("--timeout", metavar="DURATION", help="Longest wait in any one step."),
    ] = "5m"
    concurrency: Annotated[
        int,
        typer.Option("--concurrency", metavar="N", min=1, help="Workloads that migrate at the same time."),
    ] = 1
    order: Annotated[
        Order,
        typer.Option(
            "--order",
            help="Of two StatefulSets: create the new one before the old one is deleted, or after. By itself after where"
            " a quota has no room for pods that fail to be created.",
        ),
    ] = Order.AUTO
    stage_only: Annotated[
        bool,
        typer.Option(
            "--stage-only",
            help="Create the CloneSet of a Deployment, locked and empty, and stop there; not for StatefulSets.",
        ),
    ] = False
    dry_run: Annotated[
        DryRunMode,
        typer.Option(
            "--dry-run",
            help="Only tell: client prints the converted manifest, server the plan with every request, or with -o yaml"
            " the object as the server would keep it. Without a value: server.",
        ),
    ] = DryRunMode.NONE
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FORMAT",
            help="Print json, yaml, name, or jsonl as it goes; with --dry-run=client the manifest as yaml or json.",
            show_default=False,
        ),
    ] = ""
    strict: Annotated[bool, typer.Option("--strict", help="Warnings are refusals.")] = False
    keep_helm: Annotated[bool, typer.Option("--keep-helm", help="Keep the marks of a Helm release.")] = False
    clamp: Annotated[
        bool,
        typer.Option(
            "--clamp",
            help="Lower a minReadySeconds of more than 300 to what an Advanced StatefulSet can have.",
            rich_help_panel=OVERRIDES,
        ),
    ] = False
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")] = False


class Steering(NamedTuple):
    """What to do with a migration that has been begun, and where its journal lies."""

    status: Annotated[
        bool,
        typer.Option("--status", help="Say how far it is, and what to run next.", rich_help_panel=SAFETY),
    ] = False
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on only; begin nothing.", rich_help_panel=SAFETY)
    ] = False
    rollback: Annotated[
        bool, typer.Option("--rollback", help="Undo it, from wherever it stands.", rich_help_panel=SAFETY)
    ] = False
    steal: Annotated[
        bool,
        typer.Option(
            "--steal", help="Take over from another run that is known to be dead.", rich_help_panel=SAFETY
        ),
    ] = False
    journal: Annotated[
        Place,
        typer.Option(
            "--journal",
            help="Where to note what was begun; file: on this machine alone.",
            rich_help_panel=SAFETY,
        ),
    ] = Place.CONFIGMAP


class Pace(NamedTuple):
    """How fast pods are moved to new ones."""

    max_surge: Annotated[
        str,
        typer.Option(
            "--max-surge",
            metavar="NUMBER|PERCENT",
            help="How many pods more there may be meanwhile.",
            rich_help_panel=GRADUAL,
        ),
    ] = "25%"
    max_unavailable: Annotated[
        str,
        typer.Option(
            "--max-unavailable",
            metavar="NUMBER|PERCENT",
            help="How many pods fewer may serve meanwhile.",
            rich_help_panel=GRADUAL,
        ),
    ] = "0"
    keep_source: Annotated[
        bool,
        typer.Option(
            "--keep-source",
            help="Leave the old workload, at 0 pods; migrate cleanup deletes it.",
            rich_help_panel=GRADUAL,
        ),
    ] = False
    follow: Annotated[
        bool,
        typer.Option(
            "--follow", help="Go along when somebody else scales meanwhile.", rich_help_panel=GRADUAL
        ),
    ] = False
    wait_termination: Annotated[
        bool,
        typer.Option(
            "--wait-termination",
            help="Wait until old pods have ended before the next are made.",
            rich_help_panel=GRADUAL,
        ),
    ] = False


class Overrides(NamedTuple):
    """What may be overlooked."""

    allow_unready: Annotated[
        bool, typer.Option("--allow-unready", help="Pods may be unready.", rich_help_panel=OVERRIDES)
    ] = False
    allow_finalizers: Annotated[
        bool,
        typer.Option("--allow-finalizers", help="The source may have finalizers.", rich_help_panel=OVERRIDES),
    ] = False
    allow_hash_refs: Annotated[
        bool,
        typer.Option(
            "--allow-hash-refs",
            help="Others may select pods by the hash of a revision.",
            rich_help_panel=OVERRIDES,
        ),
    ] = False
    allow_overlap: Annotated[
        bool,
        typer.Option(
            "--allow-overlap",
            help="Others may select the same pods; never with --mode adopt.",
            rich_help_panel=OVERRIDES,
        ),
    ] = False
    ignore_gitops: Annotated[
        bool,
        typer.Option(
            "--ignore-gitops", help="GitOps or Helm may manage the source.", rich_help_panel=OVERRIDES
        ),
    ] = False
    unprotect: Annotated[
        bool,
        typer.Option(
            "--unprotect",
            help="Take the label off that forbids deletion; the new workload bears it.",
            rich_help_panel=OVERRIDES,
        ),
    ] = False
    accept_recreate_overlap: Annotated[
        bool,
        typer.Option(
            "--accept-recreate-overlap",
            help="Old and new pods of a Recreate Deployment may run together.",
            rich_help_panel=OVERRIDES,
        ),
    ] = False
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Surge although volumes, host ports or a quota speak against it.",
            rich_help_panel=OVERRIDES,
        ),
    ] = False

    @property
    def flags(self) -> frozenset[str]:
        """The flags given, as typed."""
        return frozenset(
            f"--{name.replace('_', '-')}" for name, on in zip(self._fields, self, strict=True) if on
        )


class Official(NamedTuple):
    """`migrate CloneSet --from Deployment …`, as the official plugin has it (migration.md §4.4)."""

    source_kind: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="KIND",
            help="Kind of the source: Deployment.",
            show_default=False,
            rich_help_panel=OFFICIAL,
        ),
    ] = ""
    src_name: Annotated[
        str,
        typer.Option(
            "--src-name", metavar="NAME", help="Its name.", show_default=False, rich_help_panel=OFFICIAL
        ),
    ] = ""
    dst_name: Annotated[
        str,
        typer.Option(
            "--dst-name",
            metavar="NAME",
            help="Name of the CloneSet.",
            show_default="that of the source",
            rich_help_panel=OFFICIAL,
        ),
    ] = ""
    create: Annotated[
        bool,
        typer.Option("--create", help="Only create the CloneSet, with 0 replicas.", rich_help_panel=OFFICIAL),
    ] = False
    copy: Annotated[
        bool,
        typer.Option(
            "--copy", help="With --create: with as many replicas as the source.", rich_help_panel=OFFICIAL
        ),
    ] = False
    replicas: Annotated[
        int | None,
        typer.Option(
            "--replicas",
            metavar="N",
            min=0,
            help="Move only so many pods, and leave both workloads.",
            show_default="all",
            rich_help_panel=OFFICIAL,
        ),
    ] = None
    timeout_seconds: Annotated[
        int | None,
        typer.Option(
            "--timeout-seconds",
            metavar="N",
            min=0,
            help="Give up after so many seconds without progress.",
            show_default="--timeout",
            rich_help_panel=OFFICIAL,
        ),
    ] = None

    @property
    def given(self) -> list[str]:
        """The options of this spelling that were given."""
        flags = {
            "--from": bool(self.source_kind),
            "--src-name": bool(self.src_name),
            "--dst-name": bool(self.dst_name),
            "--create": self.create,
            "--copy": self.copy,
            "--replicas": self.replicas is not None,
            "--timeout-seconds": self.timeout_seconds is not None,
        }
        return [flag for flag, on in flags.items() if on]
