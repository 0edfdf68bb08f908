"""What a verb works with: the cluster, connected when first asked for, the objects named, and the way to speak."""

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from kubectl_kruise.cli.finding.targets import Named, Target, near_kind, parse_manifests, parse_words
from kubectl_kruise.cli.flags import GlobalFlags
from kubectl_kruise.cli.options import Selection
from kubectl_kruise.errors import (
    KruiseError,
    NotAllowedError,
    NotFoundError,
    RefusedError,
    UnknownTypeError,
    UsageError,
)
from kubectl_kruise.facts.kinds import Kind
from kubectl_kruise.objects.notation.number import parse_timeout
from kubectl_kruise.objects.raw import Raw, name_of, namespace_of

if TYPE_CHECKING:
    from kubectl_kruise.cluster.client import Client
    from kubectl_kruise.cluster.clock import Clock
    from kubectl_kruise.cluster.port import Cluster


Connect = Callable[[GlobalFlags, Callable[[str], None]], "Cluster"]
"""Gives the cluster for some flags; the second argument hears the server's warnings."""

FEW: Final = 2
"""Up to so many kinds are named where none of them has an object of a name."""


class Session:
    """One run of one verb."""

    def __init__(
        self, flags: GlobalFlags, *, connect: Connect | None = None, clock: "Clock | None" = None
    ) -> None:
        self.flags = flags
        self._connect = connect
        self._client: Client | None = None
        self._clock = clock
        self._versions: dict[Kind, str] = {}
        self._fetched: dict[Target, Raw] = {}
        self._shown = 0
        self._warned: set[str] = set()
        self.warned = 0

    @cached_property
    def cluster(self) -> "Cluster":
        if self._connect:
            return self._connect(self.flags, self._server_warns)
        from kubectl_kruise.cluster.connection import ConnectionFlags, connect

        flags = ConnectionFlags(**self.flags.connection)
        self._client = connect(flags, on_warning=self._server_warns, verbosity=self.flags.verbosity)
        return self._client

    def close(self) -> None:
        """Close the connections to the cluster; one that `connect` gave belongs to its giver."""
        if self._client:
            self._client.close()

    @cached_property
    def clock(self) -> "Clock":
        if self._clock is None:
            from kubectl_kruise.cluster.clock import SystemClock

            self._clock = SystemClock()
        return self._clock

    @property
    def namespace(self) -> str:
        """Give the namespace asked for, else the context's."""
        return self.flags.connection.get("namespace") or self.cluster.namespace

    def say(self, text: str) -> None:
        """Print a line of the answer on stdout."""
        if not self.flags.quiet:
            print(text)  # noqa: T201

    def show(self, text: str) -> None:
        """Print text that was asked for by name (`-o`), also under `-q`."""
        sys.stdout.write(text)

    def show_object(self, text: str, output: str) -> None:
        """Print one of several objects: YAML documents are kept apart."""
        if output == "yaml" and self._shown:
            self.show("---\n")
        self._shown += 1
        self.show(text)

    def note(self, text: str) -> None:
        """Print talk on stderr."""
        if not self.flags.quiet:
            print(text, file=sys.stderr)  # noqa: T201

    def warn(self, text: str) -> None:
        """Print a warning on stderr, each text once."""
        if text not in self._warned:
            self._warned.add(text)
            print(f"Warning: {text}", file=sys.stderr)  # noqa: T201

    def told(self, texts: Iterable[str]) -> None:
        """Take warnings as given, because a question held them."""
        self._warned.update(texts)

    def _server_warns(self, text: str) -> None:
        self.warned += 1
        self.warn(text)

    def complain(self, error: KruiseError) -> int:
        """Print an error that does not end the verb, and give its exit code."""
        print("\n".join(error.lines()), file=sys.stderr)  # noqa: T201
        return error.exit_code

    @property
    def interactive(self) -> bool:
        """Say whether there is a person to ask."""
        return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()

    def confirm(self, question: str, namespaces: Iterable[str] = (), *, yes: bool) -> bool:
        """Ask a person before something risky; without a terminal go on, as kubectl does (cli.md §3.8).

        Says whether anybody was asked. Raises RefusedError on any other answer than yes.
        """
        if yes or not self.interactive:
            return False
        places = ", ".join(sorted({place for place in namespaces if place}))
        where = f"context {self.cluster.context}" + (f", namespace {places}" if places else "")
        print(f"{question}\n{where}. Go on? [y/N] ", end="", file=sys.stderr, flush=True)  # noqa: T201
        try:
            answer = sys.stdin.readline().strip().lower()
        except KeyboardInterrupt:
            print("\nnothing was changed", file=sys.stderr)  # noqa: T201
            raise
        if answer not in ("y", "yes"):
            raise RefusedError("not confirmed, nothing was changed")
        return True

    def deadline(self, timeout: str) -> float | None:
        """Give when a wait of this `--timeout` is over, in seconds since the epoch; None for never."""
        seconds = parse_timeout(timeout, "--timeout")
        return None if seconds is None else self.clock.time() + seconds

    def targets(self, which: Selection, kinds: Sequence[Kind]) -> list[Target]:
        """Give the objects selected, each once, in the order named; all must be of `kinds`.

        Raises UsageError for words that name nothing, NotFoundError where a selector or a bare name finds nothing.
        """
        found: list[Target] = []
        if which.filename:
            found += self._from_manifests(which)
        named = parse_words(which.words or [])
        many = bool(which.selector or which.every)
        if which.all_namespaces and not many:
            raise UsageError("-A needs -l or --all")
        if many and not named and not which.filename:
            raise UsageError("say which kind, e.g. clonesets -l app=web")
        if many and (which.filename or any(word.name for word in named)):
            raise UsageError(
                "-l and --all choose among the objects of a kind, so they do not go with names or files",
                hint="name the objects, or give the kind alone with -l or --all",
            )
        missing: list[NotFoundError] = []
        for word in named:
            try:
                found += self._find(word, which, kinds)
            except NotFoundError as error:
                if not many:
                    raise
                missing.append(error)
        if missing and not found:
            raise NotFoundError("; ".join(error.message for error in missing))
        if not found:
            raise UsageError("no object named", hint="e.g. cloneset/web, or -f FILE")
        for target in found:
            if target.kind not in kinds:
                raise self._unfit(target, kinds)
        return list(dict.fromkeys(found))

    def _unfit(self, target: Target, kinds: Sequence[Kind]) -> UsageError:
        from kubectl_kruise.engine.migration.pairs import MIGRATING, twin_of

        kind, known = target.kind, ", ".join(each.display for each in kinds)
        twin = twin_of(kind) if kind.native and kind in MIGRATING else None
        way = f"kubectl kruise migrate {kind.word}/{target.name} -n {target.namespace}"
        return UsageError(
            f"this command does not work on {kind.display}, only on {known}",
            hint=f"it works on {twin.called}s: {way}" if twin is not None and twin in kinds else "",
        )

    def fetch(self, target: Target) -> Raw:
        """Read an object. Raises NotFoundError that says whether it, or its kind, is missing."""
        if target in self._fetched:
            return self._fetched.pop(target)
        try:
            found = self.cluster.get(self.path(target))
            if self._upgraded(target, [found]):
                found = self.cluster.get(self.path(target))
        except UnknownTypeError as error:
            self._use_served_version(target, error)
        except NotFoundError as missing:
            raise NotFoundError(
                f'no {target.kind.display} "{target.name}" in namespace "{target.namespace}"',
                hint=f"kubectl get {target.kind.resource} -n {target.namespace}",
                status=missing.status,
            ) from None
        else:
            self._warn_of_loss(target, found)
            return found
        return self.cluster.get(self.path(target))

    def _warn_of_loss(self, target: Target, live: Raw) -> None:
        if not target.kind.lossy or self._versions.get(target.kind) in target.kind.lossy:
            return
        from kubectl_kruise.cluster.versions import lossy_writer

        if writer := lossy_writer(target.kind, live):
            self.warn(
                f"{target.display} was written last by {writer}, which erases what only {target.kind.versions[0]} can say "
                "(kubectl kruise convert rewrites manifests)"
            )

    def path(self, target: Target, subresource: str = "") -> str:
        """Give the URL path, in the version asked for, else in the one to speak to this server.

        Raises UnknownTypeError where the server is known to have none.
        """
        version = target.version or self._version(target.kind)
        return target.kind.path(target.namespace, target.name, version=version, subresource=subresource)

    def without_loss(self, target: Target) -> Target:
        """Give a target, or a collection, that was asked for in a lossy version in the one to speak, and say so."""
        if target.version not in target.kind.lossy:
            return target
        what = target.display if target.name else target.kind.resource
        self.warn(
            f"{what} is named in {target.version}, which hides some of its fields: it is read and written in "
            f"{target.kind.versions[0]} (kubectl kruise convert rewrites manifests)"
        )
        return target._replace(version="")

    def select(self, kind: Kind, namespace: str, labels: str, version: str = "") -> list[Target]:
        """List the objects of a kind by labels; those listed need no second read."""
        probe = Target(kind, namespace, "", version)
        try:
            listed = self.cluster.list(self.path(probe), labels=labels)
            if self._upgraded(probe, listed["items"]):
                listed = self.cluster.list(self.path(probe), labels=labels)
        except UnknownTypeError as error:
            self._use_served_version(probe, error)
            listed = self.cluster.list(self.path(probe), labels=labels)
        found = {Target(kind, namespace_of(item), name_of(item), version): item for item in listed["items"]}
        self._fetched |= found
        return list(found)

    def _from_manifests(self, which: Selection) -> list[Target]:
        from kubectl_kruise.cli.finding.manifests import read_manifests

        documents = read_manifests(which.filename or [], recursive=which.recursive)
        explicit = self.flags.connection.get("namespace", "")
        targets, skipped = parse_manifests(documents, explicit or self.namespace, explicit)
        if not targets:
            raise UsageError(f"no workload in {', '.join(which.filename or [])}")
        for document in skipped:
            self.note(
                f"skipped {document.get('kind') or 'a document without kind'} {name_of(document)}".rstrip()
            )
        return [self.without_loss(target) for target in targets]

    def _find(self, word: Named, which: Selection, kinds: Sequence[Kind]) -> list[Target]:
        if word.kind and word.name:
            named = Target(word.kind.kind, self.namespace, word.name, word.kind.version)
            return [self.without_loss(named)]
        if word.kind:
            if not (which.selector or which.every):
                raise UsageError(
                    f"{word.kind.kind.plural} without a name", hint="name one, or give -l or --all"
                )
            namespace = "" if which.all_namespaces else self.namespace
            wanted = self.without_loss(Target(word.kind.kind, namespace, "", word.kind.version))
            found = self.select(wanted.kind, namespace, which.selector, wanted.version)
            if not found:
                said = f" with {which.selector}" if which.selector else ""
                where = f' in namespace "{namespace}"' if namespace else ""
                raise NotFoundError(f"no {word.kind.kind.plural}{said}{where}")
            return found
        return [self._only_one(word.name, kinds)]

    def _only_one(self, name: str, kinds: Sequence[Kind]) -> Target:
        """Find the kind of a bare name; several kinds that have it are a question for the user."""
        found: list[Target] = []
        for kind in kinds:
            target = Target(kind, self.namespace, name)
            try:
                found_one = self.cluster.get(self.path(target))
            except NotFoundError:
                continue
            if not self._upgraded(target, [found_one]):
                self._fetched[target] = found_one
            found.append(target)
        if not found:
            sorts = "workload" if len(kinds) > FEW else " or ".join(kind.word for kind in kinds)
            near = near_kind(name)
            hint = f"did you mean the kind {near}?" if near else ""
            raise NotFoundError(f'no {sorts} "{name}" in namespace "{self.namespace}"', hint=hint)
        if len(found) > 1:
            raise UsageError(
                f'"{name}" is ambiguous', hint=f"one of {', '.join(target.display for target in found)}"
            )
        return found[0]

    def _version(self, kind: Kind) -> str:
        """Give the version to speak; only where releases differ in the best one is the server asked before it is used."""
        if kind.best and kind not in self._versions:
            from kubectl_kruise.cluster.versions import served_version

            try:
                self._versions[kind] = served_version(self.cluster, kind)
            except NotAllowedError:
                self._versions[kind] = kind.versions[0]
        return self._versions.get(kind, "")

    def _upgraded(self, target: Target, found: Iterable[Raw]) -> bool:
        """Say whether to read again, in a version that came with an upgrade of Kruise since the server was asked.

        Through the older one, a write drops what only the newer one has (cloneset.md §26 Q28).
        """
        spoken = self._versions.get(target.kind, "")
        if target.version or not spoken or spoken == target.kind.best:
            return False
        from kubectl_kruise.cluster.versions import outgrown, served_version

        if not outgrown(target.kind, spoken, found):
            return False
        self._versions[target.kind] = served_version(self.cluster, target.kind, fresh=True)
        return self._versions[target.kind] != spoken

    def _use_served_version(self, target: Target, missing: UnknownTypeError) -> None:
        """Ask which versions the server serves, because the one we know best seems `missing`.

        Raises UnknownTypeError where it serves none that will do.
        """
        from kubectl_kruise.cluster.versions import served_version

        version = served_version(self.cluster, target.kind)
        if target.version or version == (self._versions.get(target.kind) or target.kind.versions[0]):
            raise missing
        self._versions[target.kind] = version
        if version in target.kind.lossy:
            self.warn(f"the server has {target.kind.called}s in {version} only, without some of their fields")
