"""Every verb by name: what help, completion and man pages list, and what is imported only when it runs.

To add a verb: one line here, one module with one function of the same name, whose docstring starts with the summary
given here and may close with an `Examples:` paragraph. `ctx.obj` is the `cli.session.Session`.
"""

from typing import Final, NamedTuple

PROGRAM: Final = "kubectl kruise"


class Verb(NamedTuple):
    """`words` as typed; `target` is `module:function` below `kubectl_kruise.verbs`.

    `arguments` as the usage line shows them, where they are not those of every verb about objects.
    """

    words: str
    section: str
    summary: str
    target: str
    aliases: tuple[str, ...] = ()
    hidden: bool = False
    arguments: str = ""


class Group(NamedTuple):
    words: str
    summary: str


READING: Final = "Reading"
ROLLOUT: Final = "Rollouts"
PODS: Final = "Images and pods"
MIGRATION: Final = "Migration"
CLUSTER: Final = "Cluster"
SANDBOX: Final = "Sandbox"
OTHER: Final = "Other"
SECTIONS: Final = (READING, ROLLOUT, PODS, MIGRATION, CLUSTER, SANDBOX, OTHER)

GROUPS: Final = (
    Group("rollout", "Watch and steer rollouts."),
    Group("set", "Change a workload's pod template."),
    Group("install", "Install parts of Kruise."),
    Group("uninstall", "Remove parts of Kruise."),
    Group("controller", "Run Kruise controllers without the manager."),
    Group("sandbox", "A local API server with simulated nodes."),
)

VERBS: Final = (
    Verb(
        "get", READING, "List workloads with their rollout state.", "get:get",
        arguments="[KIND | KIND/NAME | KIND NAME]...",
    ),
    Verb("tree", READING, "Show a workload with its revisions, pods and containers.", "tree:tree"),
    Verb("rollout status", ROLLOUT, "Watch a rollout until it is done.", "rollout.status:status"),
    Verb("rollout history", ROLLOUT, "List the revisions of a workload.", "rollout.history:history"),
    Verb("rollout pause", ROLLOUT, "Stop a rollout where it stands.", "rollout.pause:pause"),
    Verb("rollout resume", ROLLOUT, "Let a paused rollout go on.", "rollout.resume:resume"),
    Verb(
        "rollout partition", ROLLOUT, "Set how many pods stay on the old revision.", "rollout.partition:partition",
        arguments="(KIND/NAME | KIND NAME)... (PARTITION | --by STEP)",
    ),
    Verb("rollout undo", ROLLOUT, "Go back to an earlier revision.", "rollout.undo:undo"),
    Verb("rollout restart", ROLLOUT, "Restart the pods of a workload.", "rollout.restart:restart"),
    Verb(
        "set image", PODS, "Change the images of containers.", "set.image:image",
        arguments="(KIND/NAME | KIND NAME)... CONTAINER=IMAGE...",
    ),
    Verb("scale", PODS, "Change the number of pods, or delete chosen ones.", "scale:scale"),
    Verb(
        "scaledown", PODS, "Shrink a workload by deleting the pods named.", "scaledown:scaledown",
        aliases=("scale-down",), hidden=True,
    ),
    Verb("migrate", MIGRATION, "Move a workload to its Kruise twin, or back.", "migrate.migrate:migrate"),
    Verb(
        "migrate cleanup", MIGRATION, "Delete what finished migrations have left.", "migrate.cleanup:cleanup",
    ),
    Verb("convert", MIGRATION, "Rewrite manifests of Advanced StatefulSets from v1alpha1 to v1beta1.", "convert:convert"),
    Verb("install crds", CLUSTER, "Install the custom resource definitions of Kruise.", "install.crds:crds"),
    Verb("uninstall crds", CLUSTER, "Remove the custom resource definitions of Kruise.", "uninstall.crds:crds"),
    Verb("controller run", CLUSTER, "Run controllers against the cluster, in the foreground.", "controller.run:run"),
    Verb("sandbox start", SANDBOX, "Start the sandbox.", "sandbox.start:start"),
    Verb("sandbox stop", SANDBOX, "Stop the sandbox.", "sandbox.stop:stop"),
    Verb("sandbox status", SANDBOX, "Say whether the sandbox runs, and where.", "sandbox.status:status"),
    Verb("sandbox reset", SANDBOX, "Remove everything from the sandbox.", "sandbox.reset:reset"),
    Verb("sandbox kubeconfig", SANDBOX, "Print the sandbox's kubeconfig.", "sandbox.kubeconfig:kubeconfig"),
    Verb(
        "sandbox exec", SANDBOX, "Run a command against the sandbox.", "sandbox.exec:exec_command",
        arguments="-- COMMAND [ARGS...]",
    ),
    Verb("completion", OTHER, "Print the completion script of a shell.", "completion:completion"),
    Verb("help", OTHER, "Explain a command or a topic, e.g. exit-codes.", "help:help_"),
    Verb("options", OTHER, "List the options that every command takes.", "options:options"),
    Verb("version", OTHER, "Print the version of this command.", "version:version"),
)  # fmt: skip


def visible(verbs: tuple[Verb, ...] = VERBS) -> tuple[Verb, ...]:
    return tuple(verb for verb in verbs if not verb.hidden)
