"""Let a verb take many shared options as one NamedTuple: unfold it for Typer, fold it again for the call."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, get_type_hints


def unfold(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function with one parameter per field of each NamedTuple parameter; others stay as they are."""
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    bundles = {name: hint for name, hint in hints.items() if _is_bundle(hint)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in bundles:
            parameters += _fields(bundles[name])
        else:
            parameters.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(function)
    def call(**given: Any) -> Any:
        for name, bundle in bundles.items():
            given[name] = bundle(**{field: given.pop(field) for field in bundle._fields})
        return function(**given)

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del call.__wrapped__
    return call


def _is_bundle(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_field_defaults")


def _fields(bundle: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(bundle, include_extras=True)
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=bundle._field_defaults.get(name, inspect.Parameter.empty),
            annotation=hints[name],
        )
        for name in bundle._fields
    ]
