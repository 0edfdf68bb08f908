"""Answers of webhooks in the form in which the API server hands them on."""

from kubectl_kruise.engine.admission.complaint import Refusal
from kubectl_kruise.sandbox import status


def denied(answer: Refusal) -> status.Refused:
    """Give the failure that a client sees: a code and a message, but no reason."""
    return status.failure(answer.code, "", answer.message)
