"""What the handler gives back: a whole answer, or an open watch."""

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final, NamedTuple

import orjson

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.api.watches import Watch

Headers = dict[str, str | list[str]]
"""A list stands for a header that is sent several times."""


class Fate(NamedTuple):
    """What an injected fault does to an answer on its way: seconds of delay, a dropped connection, a cut watch."""

    delay: float = 0.0
    drop: bool = False
    cut_after: int | None = None


UNHARMED: Final = Fate()


@dataclass(slots=True)
class Answer:
    """Header names in lower case."""

    code: int
    body: bytes = b""
    headers: Headers = field(default_factory=dict)
    watch: Watch | None = None
    fate: Fate = UNHARMED


def json_answer(raw: Raw, code: int = HTTPStatus.OK) -> Answer:
    return Answer(code, orjson.dumps(raw), {"content-type": "application/json"})


def text_answer(text: bytes, code: int = HTTPStatus.OK) -> Answer:
    return Answer(code, text, {"content-type": "text/plain; charset=utf-8"})


def refusal_answer(refusal: status.Refused, *, yaml: bool = False) -> Answer:
    """Turn a refusal into an answer; in YAML where the client asked for that alone."""
    if yaml:
        from kubectl_kruise.sandbox.notation.yaml_text import dump

        answer = Answer(refusal.code, dump(refusal.status), {"content-type": "application/yaml"})
    else:
        answer = json_answer(refusal.status, refusal.code)
    answer.headers |= {name.lower(): value for name, value in refusal.headers.items()}
    return answer


def warning_texts(texts: list[str]) -> list[str]:
    """Write the values of Warning headers, each text once."""
    quoted = (text.replace("\\", "\\\\").replace('"', '\\"') for text in dict.fromkeys(texts))
    return [f'299 - "{text}"' for text in quoted]


def warn(answer: Answer, texts: list[str]) -> Answer:
    """Add a Warning header per text (T11)."""
    if texts:
        answer.headers["warning"] = warning_texts(texts)
    return answer
