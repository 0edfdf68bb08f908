"""Answers of webhooks in the form in which the API server hands them on."""

from collections.abc import Iterator
from contextlib import contextmanager

from kubectl_kruise.engine.admission.complaint import Refusal, undecodable
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status


def denied(answer: Refusal) -> status.Refused:
    """Give the failure that a client sees: a code and a message, but no reason."""
    return status.failure(answer.code, "", answer.message)


@contextmanager
def decoding(webhook: str) -> Iterator[None]:
    """Let a value that does not fit its type, a ValueError, be an answer of the webhook of this name."""
    try:
        yield
    except ValueError as error:
        raise denied(undecodable(webhook, error)) from None


def take_spec(new: Raw, full: Raw) -> bool:
    """Put the spec of a completed object into the one that is stored; say whether there was anything to complete."""
    if full is new:
        return False
    new["spec"] = full["spec"]
    return True
