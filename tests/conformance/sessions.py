"""Recorded sessions with kubectl: the same commands in the same order, against a sandbox in processes of its own.

What differs from run to run has names in a recording (`AGE`, `IP`, `XXXXX` …), and the width of columns depends on it,
so blanks count as one.
"""

import json
import re
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

from kubectl_kruise.sandbox.state import Settings
from tests.places import DATA
from tests.sandbox.process import Cluster, Done

GADGET: Final = DATA / "apiserver" / "gadget.json"
NAMESPACE: Final = "rec"
OTHER_WORLD: Final = {
    "kubectl-121": "a sandbox has no controller of StatefulSets to wait for",
    "kubectl-142": "the recorded kubelet wrote no events",
    "kubectl-144": "descriptions of fields are the sandbox's own",
    "kubectl-146": "descriptions of fields are the sandbox's own",
    "kubectl-154": "the only user of a sandbox may do everything, so no roles are listed (sandbox-apiserver.md AR1)",
}
"""Commands that are not asked, and why."""
ANY: Final = re.compile(
    r"\b(?:HASH|XXXXX|AGE|TIME|IP|CLUSTERIP|RV|UID|CID|DIGEST|TMPFILE|PID|SERVER|ZONE)\b|(?<=\.go:)N\b"
    r"|sandbox-node-\d|^[EW]0000\b|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}"
)
"""What stands for a value that another run need not have; which node a pod is on is the scheduler's choice."""
WORLD: Final = (
    (re.compile(r"\bNS\b"), NAMESPACE),
    (re.compile(r"\bfake-(?=\d)"), "sandbox-node-"),
    (re.compile(r"(?<=region=)fake\b"), "sandbox"),
    (re.compile(r"(?<=zone=)fake-[a-c]\b"), "ZONE"),
    # A second certificate, of service names, that only the recorded cluster puts into pods.
    (re.compile(r"(?<= true\n) +Optional: +false\n(?=QoS)"), ""),
    (re.compile(r"containerd://"), "sandbox://"),
    (re.compile(r"docker-pullable://\S+@(?=sha256)"), ""),
)
"""What the recorded cluster calls by other names than a sandbox does."""
SEEN: Final = {
    "w=1": ("create", "-f", "watched.json"),
    "--field-selector=metadata.name=conf": ("annotate", "cm", "conf", "seen=yes", "--overwrite"),
}
"""What happened while a watch of that selection was recorded."""
WATCHED: Final = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "watched", "labels": {"w": "1"}},
}
EVENTS: Final = "\nEvents:"
"""What follows tells in how many steps a rollout went, which is a matter of speed, too."""
WAITING: Final = "Waiting for "
"""Lines of `rollout status`: how many there are is a matter of speed."""


def is_session(recording: dict[str, Any]) -> bool:
    """Say whether a recording is one of commands."""
    return "session" in recording and "files" in recording


def replay_session(recording: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Run all commands; give name and first difference of each whose results are recorded."""
    wanted = {case["id"]: case for case in recording["cases"]}
    with tempfile.TemporaryDirectory(prefix="session") as folder, Session(Path(folder), recording) as session:
        for step in recording["session"]:
            if step["id"] in OTHER_WORLD:
                continue
            done = session.run(step)
            case = wanted.get(step["id"])
            if case is not None:
                yield step["id"], session.difference(case, done)


class Session:
    """A sandbox, a folder with the files of the recording, and a namespace that commands mean by default."""

    def __init__(self, folder: Path, recording: dict[str, Any]) -> None:
        self.cluster = Cluster(folder, Settings(kruise="crds"))
        for name, text in recording["files"].items():
            (folder / name).write_text(text, "utf-8")
            if text.startswith("#!"):
                (folder / name).chmod(0o755)
        (folder / "watched.json").write_text(json.dumps(WATCHED), "utf-8")
        gadget = json.loads(GADGET.read_text("utf-8"))
        definition = {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{gadget['names']['plural']}.{gadget['group']}"},
            "spec": gadget,
        }
        self._must("apply", "--server-side", "-f", "-", given=json.dumps(definition))
        self._must("create", "namespace", NAMESPACE)
        self._must("config", "set-context", "--current", f"--namespace={NAMESPACE}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cluster.close()

    def run(self, step: dict[str, Any]) -> Done:
        """Run one command of the recording."""
        command, *arguments = (_realise(word) for word in step["argv"])
        assert command == "kubectl"
        editor = {name: f"./{value}" for name, value in (step.get("env") or {}).items()}
        with self._others(arguments):
            return self.cluster.kubectl(*arguments, given=_realise(step.get("stdin", "")), env=editor)

    @contextmanager
    def _others(self, arguments: list[str]) -> Iterator[None]:
        """Let somebody else do what a watch is to see, as was done while the session was recorded."""
        act = next(
            (act for selected, act in SEEN.items() if "-w" in arguments and selected in arguments), None
        )
        timer = threading.Timer(1.0, self._must, act or ())
        if act:
            timer.start()
        yield
        if act:
            timer.join()

    def difference(self, case: dict[str, Any], done: Done) -> str:
        """Give the first difference between what was recorded and what came, "" for none."""
        if done.code != case["exit"]:
            return f"exit code {done.code}, wanted {case['exit']}: {done.err or done.out}"
        return _text_difference("stdout", case["stdout"], done.out) or _text_difference(
            "stderr", case["stderr"], done.err
        )

    def _must(self, *arguments: str, given: str = "") -> None:
        done = self.cluster.kubectl(*arguments, given=given)
        if done.code:
            raise AssertionError(done.err)


def _realise(text: str) -> str:
    for recorded, ours in WORLD:
        text = recorded.sub(ours, text)
    return text


def _text_difference(where: str, expected: str, actual: str) -> str:
    wanted, got = _lines(_realise(expected)), _lines(actual)
    for number, (one, other) in enumerate(zip(wanted, got, strict=False), 1):
        if not _pattern(one).fullmatch(other):
            return f"{where} line {number}: wanted {one!r}, got {other!r}"
    if len(wanted) == len(got):
        return ""
    more, what = (got, "not wanted") if len(got) > len(wanted) else (wanted, "absent")
    return f"{where}: {what}: {more[min(len(wanted), len(got))]!r}"


def _lines(text: str) -> list[str]:
    lines = [" ".join(line.split()) for line in text.partition(EVENTS)[0].splitlines()]
    return [line for line in lines if not line.startswith(WAITING)]


def _pattern(line: str) -> re.Pattern[str]:
    text, position = "", 0
    for found in ANY.finditer(line):
        text += re.escape(line[position : found.start()]) + ".+?"
        position = found.end()
    return re.compile(text + re.escape(line[position:]))
