import json

import pytest

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.http.answers import parse_warnings
from kubectl_kruise.cluster.port import DryRun, Patch, PatchType, Request, Response
from kubectl_kruise.errors import (
    ConflictError,
    ExpiredError,
    NotAllowedError,
    NotFoundError,
    ServerError,
    UnknownTypeError,
)

CLONESETS = "/apis/apps.kruise.io/v1alpha1/namespaces/shop/clonesets"
WEB = f"{CLONESETS}/web"


class Scripted:
    """A transport that gives the answers of a list, one per request."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests: list[Request] = []

    def send(self, request):
        self.requests.append(request)
        return self.answers.pop(0)

    @property
    def targets(self):
        return [request.target for request in self.requests]


def answer(value, status=200, **headers):
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Response(status, {name.replace("_", "-"): text for name, text in headers.items()}, body)


def status(code, message, reason="", **details):
    return answer(
        {"kind": "Status", "code": code, "message": message, "reason": reason, "details": details}, code
    )


@pytest.mark.parametrize(
    ("given", "sort", "lines"),
    [
        pytest.param(
            status(404, 'clonesets.apps.kruise.io "web" not found', "NotFound", name="web", kind="clonesets"),
            NotFoundError,
            ['error: clonesets.apps.kruise.io "web" not found'],
            id="missing object",
        ),
        pytest.param(
            answer(b"404 page not found\n", 404),
            UnknownTypeError,
            [
                "error: the server has no resource type clonesets.apps.kruise.io in version v1alpha1",
                "  cause: 404 page not found",
                "  hint: kubectl kruise install crds",
            ],
            id="missing CRD",
        ),
        pytest.param(
            status(404, "the server could not find the requested resource", "NotFound"),
            UnknownTypeError,
            [
                "error: the server has no resource type clonesets.apps.kruise.io in version v1alpha1",
                "  cause: the server could not find the requested resource",
                "  hint: kubectl kruise install crds",
            ],
            id="missing type, as a Status",
        ),
        pytest.param(
            status(404, 'namespaces "shop" not found', "NotFound", name="shop", kind="namespaces"),
            NotFoundError,
            ['error: namespaces "shop" not found'],
            id="missing namespace",
        ),
        pytest.param(
            status(401, "Unauthorized", "Unauthorized"),
            NotAllowedError,
            [
                "error: the server does not accept these credentials",
                "  cause: Unauthorized",
                "  hint: log in again, or look at the user entry: kubectl config view --minify",
            ],
            id="expired token",
        ),
        pytest.param(
            status(
                403, 'clonesets.apps.kruise.io "web" is forbidden: User "u" cannot get resource', "Forbidden"
            ),
            NotAllowedError,
            [
                "error: not allowed to get clonesets.apps.kruise.io in namespace shop",
                '  cause: clonesets.apps.kruise.io "web" is forbidden: User "u" cannot get resource',
                "  hint: kubectl auth can-i get clonesets.apps.kruise.io -n shop",
            ],
            id="no rights",
        ),
        pytest.param(
            status(403, 'pods "x" is forbidden: exceeded quota: q', "Forbidden"),
            NotAllowedError,
            [
                'error: the server forbids this for clonesets.apps.kruise.io "web"',
                '  cause: pods "x" is forbidden: exceeded quota: q',
            ],
            id="forbidden by admission",
        ),
        pytest.param(
            status(409, 'clonesets.apps.kruise.io "web" already exists', "AlreadyExists"),
            ConflictError,
            ['error: clonesets.apps.kruise.io "web" already exists'],
            id="name taken",
        ),
        pytest.param(
            status(409, "Operation cannot be fulfilled: the object has been modified", "Conflict"),
            ConflictError,
            [
                'error: clonesets.apps.kruise.io "web" was changed by someone else meanwhile',
                "  cause: Operation cannot be fulfilled: the object has been modified",
            ],
            id="race",
        ),
        pytest.param(
            status(410, "too old resource version", "Expired"),
            ExpiredError,
            [
                'error: what was read of clonesets.apps.kruise.io "web" is too old',
                "  cause: too old resource version",
            ],
            id="expired",
        ),
        pytest.param(
            status(
                422, 'CloneSet.apps.kruise.io "web" is invalid: spec.replicas: Invalid value: -1', "Invalid"
            ),
            ServerError,
            [
                'error: CloneSet.apps.kruise.io "web" is invalid',
                "  cause: spec.replicas: Invalid value: -1",
            ],
            id="invalid",
        ),
        pytest.param(
            status(400, 'admission webhook "v.kb.io" denied the request:\n no', "BadRequest"),
            ServerError,
            [
                'error: the server failed to get clonesets.apps.kruise.io "web"',
                '  cause: admission webhook "v.kb.io" denied the request: no (HTTP 400)',
            ],
            id="refused by a webhook",
        ),
        pytest.param(
            answer(b"", 502),
            ServerError,
            [
                'error: the server failed to get clonesets.apps.kruise.io "web"',
                "  cause: no message (HTTP 502)",
            ],
            id="a proxy's empty answer",
        ),
        pytest.param(
            answer(b"", 302),
            ServerError,
            [
                'error: the server failed to get clonesets.apps.kruise.io "web"',
                "  cause: no message (HTTP 302)",
            ],
            id="a redirect to a login page",
        ),
        pytest.param(
            answer(b"<html>", 200), ServerError, ["error: the answer of https://k is not JSON"], id="no JSON"
        ),
        pytest.param(
            answer([1], 200), ServerError, ["error: the answer of https://k is not an object"], id="no object"
        ),
    ],
)
def test_an_answer_becomes_one_error(given, sort, lines):
    with pytest.raises(sort) as caught:
        Client(Scripted(given), server="https://k").get(WEB)

    assert type(caught.value) is sort
    assert caught.value.lines()[: len(lines)] == lines
    assert caught.value.http == (given.status if given.status >= 300 else 0)


def test_an_error_names_the_verb_and_the_list():
    with pytest.raises(NotAllowedError) as caught:
        Client(Scripted(status(403, "User u cannot list resource"))).list(CLONESETS)

    assert caught.value.hint == "kubectl auth can-i list clonesets.apps.kruise.io -n shop"


def page(*names, version="7", token=""):
    return answer(
        {
            "kind": "CloneSetList",
            "apiVersion": "apps.kruise.io/v1alpha1",
            "metadata": {"resourceVersion": version, **({"continue": token} if token else {})},
            "items": [{"metadata": {"name": name}} for name in names],
        }
    )


class TestList:
    def test_pages_are_put_together(self):
        over = Scripted(page("a", "b", token="t1"), page("c", "d", token="t2"), page("e"))

        listed = Client(over).list(CLONESETS, labels="app=web", chunk=2)

        assert [item["metadata"]["name"] for item in listed["items"]] == list("abcde")
        assert listed["metadata"] == {"resourceVersion": "7"}
        assert over.targets == [
            f"{CLONESETS}?labelSelector=app%3Dweb&limit=2",
            f"{CLONESETS}?labelSelector=app%3Dweb&limit=2&continue=t1",
            f"{CLONESETS}?labelSelector=app%3Dweb&limit=2&continue=t2",
        ]

    def test_a_token_that_expired_makes_the_list_anew(self):
        over = Scripted(
            page("a", token="t1"), status(410, "the token is too old"), page("a", "b", version="9")
        )

        listed = Client(over).list(CLONESETS, fields="metadata.name=a", chunk=1)

        assert [item["metadata"]["name"] for item in listed["items"]] == ["a", "b"]
        assert listed["metadata"]["resourceVersion"] == "9"
        assert over.targets[-1] == f"{CLONESETS}?fieldSelector=metadata.name%3Da"

    def test_items_say_what_they_are(self):
        listed = Client(Scripted(page("a"))).list(CLONESETS, chunk=0)

        assert listed["items"] == [
            {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet", "metadata": {"name": "a"}}
        ]

    def test_no_items(self):
        listed = Client(Scripted(answer({"kind": "CloneSetList", "metadata": {}, "items": None}))).list(
            CLONESETS
        )

        assert listed["items"] == []


PATCH = Patch(PatchType.JSON, [{"op": "test", "path": "/spec", "value": "é"}])
WRITES = {
    "create": lambda client, dry_run: client.create(CLONESETS, {"spec": {}}, dry_run=dry_run),
    "replace": lambda client, dry_run: client.replace(WEB, {"spec": {}}, dry_run=dry_run),
    "patch": lambda client, dry_run: client.patch(WEB, PATCH, dry_run=dry_run),
    "delete": lambda client, dry_run: client.delete(
        WEB, options={"propagationPolicy": "Orphan"}, dry_run=dry_run
    ),
}


@pytest.mark.parametrize("verb", WRITES)
class TestWrites:
    def test_a_client_side_dry_run_sends_nothing(self, verb):
        over = Scripted()

        with pytest.raises(ValueError, match="never reaches"):
            WRITES[verb](Client(over), DryRun.CLIENT)

        assert over.requests == []

    def test_a_server_side_dry_run_says_so(self, verb):
        over = Scripted(answer({}))

        WRITES[verb](Client(over), DryRun.SERVER)

        if verb == "delete":
            # With options in its body, a deletion that says so in the query only would be carried out.
            assert json.loads(over.requests[0].body)["dryRun"] == ["All"]
        else:
            assert "dryRun=All" in over.targets[0]
            assert ("fieldValidation=Strict" in over.targets[0]) == (verb == "create")

    def test_a_write_names_its_manager(self, verb):
        over = Scripted(answer({}))

        WRITES[verb](Client(over, field_manager="me"), DryRun.NONE)

        assert ("fieldManager=me" in over.targets[0]) == (verb != "delete")
        assert "dryRun" not in over.targets[0]
        assert b"dryRun" not in over.requests[0].body


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("wéb", "w%C3%A9b"),
        ("a b", "a%20b"),
        ("a?x=1", "a%3Fx=1"),
        ("a#b", "a%23b"),
        ("a%2fb", "a%252fb"),
        ("a\nb", "a%0Ab"),
    ],
)
def test_no_name_changes_what_is_asked(name, sent):
    over = Scripted(answer({}))

    Client(over).get(f"{CLONESETS}/{name}", query={"pretty": "é"})

    assert over.targets == [f"{CLONESETS}/{sent}?pretty=%C3%A9"]


def test_a_patch_says_what_sort_it_is():
    over = Scripted(answer({}))

    Client(over).patch(WEB, PATCH)

    (request,) = over.requests
    assert request.method == "PATCH"
    assert request.headers["Content-Type"] == "application/json-patch+json"
    assert request.body == '[{"op":"test","path":"/spec","value":"é"}]'.encode()


def test_a_delete_carries_its_options():
    over = Scripted(answer({}))

    Client(over).delete(WEB, options={"propagationPolicy": "Orphan", "preconditions": {"uid": "u"}})

    assert json.loads(over.requests[0].body) == {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "propagationPolicy": "Orphan",
        "preconditions": {"uid": "u"},
    }


def test_every_warning_is_told_once():
    told = []
    header = '299 - "v1alpha1 is deprecated", 299 - "unknown field \\"spec.x\\""'
    client = Client(Scripted(*[answer({}, warning=header)] * 2), on_warning=told.append)

    client.get(WEB)
    client.get(WEB)

    assert told == ["v1alpha1 is deprecated", 'unknown field "spec.x"']


@pytest.mark.parametrize(
    ("header", "texts"),
    [
        ('299 - "one"', ["one"]),
        ('299 kube "a, b" "Mon, 02 Jan 2006 15:04:05 GMT",299 - "c"', ["a, b", "c"]),
        (r'299 - "back\\slash and \"quote\""', [r'back\slash and "quote"']),
        ("nonsense", []),
    ],
)
def test_warning_headers(header, texts):
    assert parse_warnings(header) == texts


def test_a_busy_server_is_asked_again_when_it_says_when():
    pauses = []
    over = Scripted(*[answer({}, 429, retry_after="2")] * 2, answer({"kind": "CloneSet"}))

    assert Client(over, pause=pauses.append).get(WEB) == {"kind": "CloneSet"}
    assert pauses == [2.0, 2.0]


@pytest.mark.parametrize(
    "given", [answer(b"busy", 429), answer(b"busy", 429, retry_after="600"), answer(b"", 500)]
)
def test_a_busy_server_that_does_not_say_when_is_an_error(given):
    pauses = []

    with pytest.raises(ServerError):
        Client(Scripted(given), pause=pauses.append).get(WEB)

    assert pauses == []


def test_a_busy_server_is_not_asked_for_ever():
    over = Scripted(*[answer(b"busy", 429, retry_after="1")] * 9)

    with pytest.raises(ServerError):
        Client(over, pause=lambda _: None).get(WEB)

    assert len(over.requests) == 4
