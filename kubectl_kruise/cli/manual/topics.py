"""Help topics that belong to no single command."""

from typing import Final, NamedTuple

from kubectl_kruise.cli.manual.layout import pairs


class ExitCode(NamedTuple):
    code: int
    meaning: str


EXIT_CODES: Final = (
    ExitCode(0, "done, or nothing to do"),
    ExitCode(1, "failed: the server refused, or the rollout failed"),
    ExitCode(2, "the command line is wrong"),
    ExitCode(3, "refused for safety: a precondition, an owner, a missing --yes"),
    ExitCode(4, "no such object, or nothing matched"),
    ExitCode(5, "not allowed: the server answered 401 or 403"),
    ExitCode(6, "conflict after retries, or the revision was superseded"),
    ExitCode(7, "server unreachable; TLS or the credentials plugin failed"),
    ExitCode(8, "not done: paused, held by the partition, or with --detailed-exitcode under way"),
    ExitCode(70, "a bug of kubectl-kruise; the trace is saved"),
    ExitCode(124, "timed out"),
    ExitCode(130, "interrupted (Ctrl-C)"),
    ExitCode(143, "terminated"),
)

TOPICS: Final = {
    "exit-codes": "Exit codes:\n" + pairs([(str(each.code), each.meaning) for each in EXIT_CODES]) + "\n",
}
