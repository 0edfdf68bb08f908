import pytest

from kubectl_kruise.cli.completion.complete import FILES, NO_FILES, choices


def names(words: list[str]) -> list[str]:
    return [name for name, _ in choices(words)[0]]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ro"], ["rollout"]),
        (["rollout", "p"], ["pause", "partition"]),
        (["-n", "shop", "rollout", "pa"], ["pause", "partition"]),
        (["--context=x", "rollout", "un"], ["undo"]),
        (["completion", "z"], ["zsh"]),
        (["help", "set", ""], ["image"]),
        (["scaled"], []),
        (["rollout", "pause", "--dry"], ["--dry-run"]),
        (["rollout", "partition", "--b"], ["--by"]),
        (["get", "--names"], ["--namespace"]),
        (["-n", ""], []),
        (["--context", "r"], []),
        (["controller", "run", "--feature-gates", "CloneSetS"], ["CloneSetShortHash=true"]),
        (["sandbox", "start", "--feature-gates=KruiseD"], ["--feature-gates=KruiseDaemon=false"]),
        (
            ["sandbox", "start", "--feature-gates", "PodWebhook=false,CloneSetP"],
            ["PodWebhook=false,CloneSetPartitionRollback=true"],
        ),
    ],
    ids=" ".join,
)
def test_words_are_completed_from_the_catalog(words: list[str], expected: list[str]) -> None:
    assert names(words) == expected
    assert choices(words)[1] == NO_FILES


@pytest.mark.parametrize(
    "words", [["rollout", "pause", "-f", ""], ["sandbox", "exec", "--", "k"], ["--kubeconfig", ""]]
)
def test_where_files_belong_the_shell_completes_them(words: list[str]) -> None:
    assert choices(words) == ([], FILES)


def test_the_answer_is_a_choice_per_line_then_the_directive(capsys: pytest.CaptureFixture[str]) -> None:
    from kubectl_kruise.__main__ import main

    assert main(["__complete", "rollout", "und"]) == 0
    assert capsys.readouterr().out == "undo\tGo back to an earlier revision.\n:4\n"
