"""What the command line of `migrate` asks for, checked as a whole before any cluster is asked."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from kubectl_kruise.cli.finding.targets import Target, near_kind, parse_words
from kubectl_kruise.cli.migrating.options import Act, Migrating, Overrides, Pace, Steering
from kubectl_kruise.cli.options import DryRunMode
from kubectl_kruise.cli.session import Session
from kubectl_kruise.convert.deployment import IN_PLACE, RECREATE
from kubectl_kruise.engine.migration.journal import Mode
from kubectl_kruise.engine.migration.pairs import MIGRATING, pair_of, twin_of
from kubectl_kruise.engine.migration.references import chosen_kinds
from kubectl_kruise.errors import UsageError
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.notation import number
from kubectl_kruise.objects.notation.number import parse_timeout
from kubectl_kruise.objects.notation.reference import parse_kind
from kubectl_kruise.operations.migrate.before.outlook import Order as Ordering
from kubectl_kruise.operations.migrate.before.outlook import Wish
from kubectl_kruise.operations.migrate.journal.storing import Filing, Place, copies_folder

KINDS: Final = MIGRATING
FORMATS: Final = ("", "json", "yaml", "name", "jsonl")


class Order(NamedTuple):
    """`patience` and `settle` are in seconds, the former without end where no time-out is wanted."""

    act: Act
    how: Migrating
    steering: Steering
    pace: Pace
    flags: frozenset[str]
    patience: float
    settle: float
    rewrite: tuple[str, ...] = ()
    part: int | None = None
    """Only so many pods are moved, and both workloads stay; None for all."""

    @property
    def dry(self) -> bool:
        return self.how.dry_run is not DryRunMode.NONE

    @property
    def talks(self) -> bool:
        """Say whether people read the answer."""
        return self.how.output in ("", "name")

    @property
    def wish(self) -> Wish:
        policy = IN_PLACE if self.how.in_place else RECREATE
        surge, unavailable = map(
            number.parse_int_or_percent, (self.pace.max_surge, self.pace.max_unavailable)
        )
        return Wish(
            self.how.mode,
            self.how.to_name,
            policy,
            self.how.keep_helm,
            self.flags,
            surge,
            unavailable,
            self.part,
            self.steering.journal,
            self.how.order,
        )

    @property
    def options(self) -> Mapping[str, Any]:
        """What a later run of the same migration has to know."""
        return {
            "keep_source": self.pace.keep_source or self.part is not None,
            "follow": self.pace.follow,
            "wait_termination": self.pace.wait_termination,
            "rewrite_refs": list(self.rewrite),
            **({} if self.part is None else {"part": self.part}),
            **({"allow_unready": True} if "--allow-unready" in self.flags else {}),
        }

    @property
    def asked(self) -> Mapping[str, Any]:
        """The options that were typed: a migration that was begun with others goes on with these."""
        return {key: value for key, value in self.options.items() if value and key != "part"}

    @property
    def paced(self) -> bool:
        """Say whether limits of a surge were typed."""
        usual = Pace()
        return (self.pace.max_surge, self.pace.max_unavailable) != (usual.max_surge, usual.max_unavailable)

    def filing(self, session: Session) -> Filing:
        """Give where journals lie; a machine without a home keeps no copies."""
        return Filing(self.steering.journal, copies_folder(os.environ, session.cluster.server))

    def again(self, target: Target, flag: str = "") -> str:
        """Give the command that goes on with the migration of a target, or does what `flag` says."""
        words = [f"kubectl kruise migrate {target.kind.word}/{target.name} -n {target.namespace}", flag]
        if self.steering.journal is not Place.CONFIGMAP:
            words.append(f"--journal {self.steering.journal}")
        return " ".join(filter(None, words)) + (" --yes" if self.how.yes and flag != "--status" else "")


def read_order(
    how: Migrating, steering: Steering, pace: Pace, overlooked: Overrides, *, official: bool = False
) -> Order:
    """Check everything that was typed. Raises UsageError for what is malformed or contradicts itself."""
    chosen = [act for act in (Act.RESUME, Act.ROLLBACK, Act.STATUS) if getattr(steering, act.value)]
    if len(chosen) > 1:
        raise UsageError(f"{' and '.join(f'--{act}' for act in chosen)} do not go together")
    act = chosen[0] if chosen else Act.START
    if chosen and how.dry_run is not DryRunMode.NONE:
        raise UsageError(
            f"--{act} and --dry-run do not go together", hint=f"--status says what --{act} would do"
        )
    client = how.dry_run is DryRunMode.CLIENT
    if how.output not in (FORMATS if not client else ("", "json", "yaml")):
        known = ", ".join(filter(None, FORMATS))
        raise UsageError(f'unknown output format "{how.output}"', hint=f"one of {known}")
    _check_mode(how._replace(mode=Mode.SURGE) if official else how, pace)
    for text, flag in ((pace.max_surge, "--max-surge"), (pace.max_unavailable, "--max-unavailable")):
        _check_share(text, flag)
    try:
        rewrite = chosen_kinds(how.rewrite_refs) if how.rewrite_refs else ()
    except ValueError as error:
        raise UsageError(f"--rewrite-refs: {error}") from None
    return Order(
        act,
        how,
        steering,
        pace,
        overlooked.flags | ({"--clamp"} if how.clamp else set()),
        parse_timeout(how.timeout, "--timeout") or float("inf"),
        parse_timeout(how.settle, "--settle") or 0.0,
        rewrite,
    )


def check_words(words: Sequence[str]) -> None:
    """Raise UsageError where a kind is named that no migration of this release begins with."""
    for named in parse_words(words):
        if named.kind and named.kind.kind not in KINDS:
            raise UsageError(
                f"{named.kind.kind.display}{f'/{named.name}' if named.name else ''}: this release migrates Deployments,"
                " StatefulSets, CloneSets and Advanced StatefulSets, other kinds come later"
            )


def check_direction(order: Order, target: Target) -> None:
    """Raise UsageError where a target cannot become what `--to` says, or not in this mode."""
    successor = twin_of(target.kind)
    word = order.how.to
    if word and (found := _kind_of(word)) is not successor:
        raise UsageError(
            f"--to {word}: {target.display} can only become {article(successor.word)}, not {article(found.word)}"
        )
    alike = pair_of(target.kind).named_alike
    if not (target.kind.native or alike) and order.how.mode is not Mode.ADOPT:
        raise UsageError(
            f"--mode {order.how.mode} leads to Kruise; {target.display} gives its pods back with --mode adopt"
        )
    if not target.kind.native and (order.how.in_place or order.how.stage_only):
        flag = "--in-place" if order.how.in_place else "--stage-only"
        raise UsageError(f"{flag} is about the {target.kind.called} to be made, and {target.display} is one")
    if order.how.mode is Mode.HANDOVER and not alike:
        raise UsageError(
            f"--mode handover is about StatefulSets, and {target.display} is none",
            hint="--mode surge replaces the pods of a Deployment a few at a time",
        )
    if alike:
        _check_set(order.how, target)
    elif order.how.order is not Ordering.AUTO:
        raise UsageError(f"--order is about StatefulSets, and {target.display} is none")


def _check_set(how: Migrating, target: Target) -> None:
    """Raise UsageError for what cannot be done where pods and claims bear the name of their owner."""
    if how.to_name and how.to_name != target.name:
        raise UsageError(
            f"--to-name {how.to_name}: pods and volume claims of {target.display} bear its name, so the new set has to"
            " have it too"
        )
    if how.mode is Mode.SURGE:
        raise UsageError(
            f"--mode surge is not for {target.display}: two pods of a set cannot have one name",
            hint="--mode adopt keeps every pod; --mode handover makes them anew one at a time",
        )
    if how.order is not Ordering.AUTO and how.mode is not Mode.ADOPT:
        raise UsageError(f"--order goes with --mode adopt only: --mode {how.mode} has its own")
    if how.stage_only:
        raise UsageError(
            f"--stage-only: an Advanced StatefulSet beside {target.display} would try to create its pods all the time"
        )


def article(word: str) -> str:
    """Put the article before a word."""
    return f"{'an' if word[:1].lower() in 'aeiou' else 'a'} {word}"


def _kind_of(word: str) -> Kind:
    found = parse_kind(word)
    if found is None:
        near = near_kind(word)
        raise UsageError(
            f'--to {word}: unknown kind "{word}"',
            hint=f"did you mean {near}?" if near else "cloneset, deployment, asts or statefulset",
        )
    return found.kind


def _check_mode(how: Migrating, pace: Pace) -> None:
    gradual = {
        "--max-surge": pace.max_surge != Pace().max_surge,
        "--max-unavailable": pace.max_unavailable != Pace().max_unavailable,
        "--follow": pace.follow,
        "--wait-termination": pace.wait_termination,
    }
    given = [flag for flag, on in gradual.items() if on]
    if given and how.mode is not Mode.SURGE:
        raise UsageError(f"{', '.join(given)} goes with --mode surge only", hint="add --mode surge")
    if pace.keep_source and how.mode is Mode.ADOPT:
        raise UsageError(
            "--keep-source goes with --mode surge, recreate or handover: a source whose pods are adopted is deleted"
        )
    if how.stage_only and how.mode is not Mode.ADOPT:
        raise UsageError("--stage-only goes with --mode adopt only")


def _check_share(text: str, flag: str) -> None:
    try:
        number.parse_int_or_percent(text)
    except ValueError as error:
        raise UsageError(f"{flag}: {error}") from None
