"""The operations of a small service, for the tests of intent routing."""

from collections.abc import Mapping
from typing import Any

from resolvers.intent.operation import Parameter, RoutableOperation

_KINDS = ("added", "changed", "fixed", "removed", "announced")
_SEARCHED = ("thesis", "practice", "conviction", "lookingFor", "project", "domain", "faq")
_SLUG: Mapping[str, Any] = {"type": "string", "maxLength": 64, "pattern": "^[a-z0-9-]+$"}


def text(shortest: int, longest: int, **more: object) -> dict[str, Any]:
    """The JSON Schema of a text."""
    return {"type": "string", "minLength": shortest, "maxLength": longest, **more}


_TEXTS: Mapping[str, Any] = {"anyOf": [text(1, 2000), {"type": "array", "maxItems": 20}]}
ROOT = RoutableOperation(
    "GetIndex",
    "ServiceIndex",
    "What this service is and everything that can be read on it.",
    ("start page", "what is this service", "only the base address is known", "root of the site"),
    "GET",
    "/",
    media=("text/markdown", "application/json"),
)
LLMS = RoutableOperation(
    "GetLlmsTxt",
    "The index as llms.txt",
    "The index of this service in the llms.txt format.",
    ("llms.txt", "list every address", "index for language models", "map of all endpoints"),
    "GET",
    "/llms.txt",
    media=("text/plain",),
)
PROJECT = RoutableOperation(
    "GetProject",
    "Get project",
    "One project by its slug.",
    (
        "show me one product in detail",
        "tell me about a project by its name",
        "version and stack of one product",
        "details of a single project",
    ),
    "GET",
    "/api/projects/{slug}",
    tool="get_project",
    media=("application/json", "text/markdown"),
    parameters=(
        Parameter("slug", "path", True, _SLUG, {"ledgerline": "Ledgerline", "tide-watch": "Tides"}),
    ),
)
PROJECTS = RoutableOperation(
    "ListProjects",
    "All projects",
    "Every project of the studio with its status.",
    ("list all projects", "what has the studio made", "the portfolio", "every product"),
    "GET",
    "/api/projects",
    tool="list_projects",
    media=("application/json", "text/markdown"),
    signed_path="/api/snapshot.sig?section=projects",
)
CHANGES = RoutableOperation(
    "ListChangelog",
    "Changelog",
    "What changed, newest first.",
    ("what has changed", "read the changelog", "recent releases", "announcements and news"),
    "GET",
    "/api/changelog",
    tool="get_changes",
    media=("application/json", "text/markdown"),
    signed_path="/api/changelog.sig",
    parameters=(
        Parameter("kind", "query", False, {"enum": [*_KINDS]}, dict.fromkeys(_KINDS, "")),
        Parameter("since", "query", False, {"type": "string", "format": "date-time"}),
    ),
)
CERTIFICATES = RoutableOperation(
    "ListCertifications",
    "Certifications",
    "The certificates the founder holds.",
    ("which certificates are held", "formal qualifications", "credentials", "certified in what"),
    "GET",
    "/api/certifications",
    parameters=(
        Parameter("category", "query", False, text(0, 99), {"ai": "", "data": "", "backend": ""}),
        Parameter(
            "issuer", "query", False, text(0, 99), {"Northquay Academy": "", "Open Guild": ""}
        ),
    ),
)
PROOF = RoutableOperation(
    "GetInclusionProof",
    "Get inclusion proof",
    "The proof that one changelog entry stands in the log.",
    (
        "prove that an entry is in the log",
        "Merkle inclusion proof",
        "audit path",
        "proof of a leaf",
    ),
    "GET",
    "/api/log/proof",
    parameters=(
        Parameter(
            "index", "query", True, {"type": "integer", "minimum": -99, "maximum": 2**31 - 1}
        ),
    ),
)
CONTACT = RoutableOperation(
    "SendContact",
    "Write to the human",
    "Send a message to the studio's human.",
    (
        "write to the human behind the studio",
        "send a message to the founder",
        "propose working together",
        "contact the studio",
    ),
    "POST",
    "/api/contact",
    acts=True,
    tool="send_contact",
    parameters=(
        Parameter("name", "body", True, text(2, 120)),
        Parameter("email", "body", True, text(1, 254, format="email")),
        Parameter("company", "body", False, text(0, 120)),
        Parameter("message", "body", True, text(20, 4000)),
        Parameter("agent", "body", False, text(0, 120)),
        Parameter("dryRun", "body", False, {"type": "boolean"}),
        Parameter("Idempotency-Key", "header", False, text(1, 255)),
    ),
)
SEARCH = RoutableOperation(
    "SearchContent",
    "Search",
    "The entries that lie nearest in meaning to a query, without a language model.",
    (
        "search the content for a topic",
        "find passages about something",
        "which entries are closest in meaning to a phrase",
        "semantic search without a language model",
        "look through FAQ, glossary and projects for a keyword",
        "where on the site is this mentioned",
    ),
    "POST",
    "/api/search",
    tool="search",
    parameters=(
        Parameter("query", "body", True, text(2, 500)),
        Parameter("limit", "body", False, {"type": "integer", "minimum": 1, "maximum": 20}),
        Parameter("kind", "body", False, {"enum": [*_SEARCHED]}, dict.fromkeys(_SEARCHED, "")),
    ),
)
EMBED = RoutableOperation(
    "EmbedTexts",
    "Embed texts",
    "The vectors of texts, for an index of the caller's own.",
    (
        "embed a text",
        "turn strings into vectors",
        "get 768-dimensional embeddings",
        "compute sentence embeddings for my own index",
        "vectorise several sentences at once",
    ),
    "POST",
    "/api/embed",
    parameters=(Parameter("input", "body", True, _TEXTS),),
)
ROUTE = RoutableOperation(
    "RouteIntent",
    "Route a goal",
    "Which operations serve a goal told in plain words, with a request for each.",
    (
        "which endpoint serves my goal",
        "route a goal to the right tool",
        "I do not know what to call, recommend something",
        "rank the operations for a task before I call one",
        "suggest a ready-made request for what I want",
    ),
    "POST",
    "/api/intent",
    tool="route_intent",
    parameters=(Parameter("goal", "body", True, text(4, 500)),),
)
ASK = RoutableOperation(
    "Ask",
    "Ask a question",
    "An answer to a question from the studio's content, each claim with its source.",
    (
        "ask a question and get an answer with citations",
        "chat about the studio",
        "stream an answer as server-sent events",
        "have my question answered from the published content",
        "talk to an assistant that cites its sources",
        "explain something about the studio in your own words",
    ),
    "POST",
    "/api/chat",
    acts=True,
    tool="ask",
    media=("application/json", "text/event-stream"),
    parameters=(
        Parameter("query", "body", False, text(2, 2000)),
        Parameter("messages", "body", False, {"type": "array"}),
        Parameter("topK", "body", False, {"type": "integer", "minimum": 1, "maximum": 10}),
    ),
)
SUBSCRIBE = RoutableOperation(
    "Subscribe",
    "Subscribe",
    "Have every new changelog entry sent to an HTTPS URL.",
    (
        "subscribe a webhook to the changelog",
        "notify my server when something changes",
        "push new entries to an HTTPS URL",
        "send everything new or all changes to my address",
        "register a callback for updates",
        "be told of changes instead of polling",
    ),
    "POST",
    "/api/subscribe",
    acts=True,
    parameters=(
        Parameter("url", "body", True, text(1, 500, format="uri")),
        Parameter(
            "kinds", "body", False, {"type": "array", "maxItems": 10}, dict.fromkeys(_KINDS, "")
        ),
    ),
)
UNSUBSCRIBE = RoutableOperation(
    "Unsubscribe",
    "Unsubscribe",
    "End a subscription; nothing more is sent to its URL.",
    (
        "unsubscribe a webhook",
        "stop sending updates to my URL",
        "delete my subscription",
        "remove a registered callback",
        "I no longer want notifications",
    ),
    "DELETE",
    "/api/subscribe/{id}",
    acts=True,
    parameters=(
        Parameter("id", "path", True, text(1, 64)),
        Parameter("Authorization", "header", True, text(1, 999)),
    ),
)
ACTIONS = (SEARCH, EMBED, ROUTE, ASK, SUBSCRIBE, UNSUBSCRIBE)
READS = (ROOT, LLMS, PROJECT, PROJECTS, CHANGES, CERTIFICATES, PROOF)
POSTS = (*READS, CONTACT, *ACTIONS)
