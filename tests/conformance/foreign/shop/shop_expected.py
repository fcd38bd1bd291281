"""What the owner of the shop expects."""

import json

from foreign_expectations import MCP, Call, Caller, Probe, deep, fails, private, rpc, says
from httpx import Response
from shop_app import blocking, fill, session
from storefront.models import CartLine

ANN, BOB, BOSS = (blocking(session, name) for name in ("ann", "bob", "boss"))
HERE, EVIL = {"origin": "http://localhost"}, {"origin": "https://evil.example"}
BOBS = [("bob", "Manual", 2)]


def before() -> None:
    """Every probe finds the shop as it was."""
    blocking(fill)


def carts() -> list[tuple[str, str, int]]:
    rows = CartLine.objects.values_list("user__username", "product__name", "quantity")
    return blocking(lambda: sorted(rows.all()))


def names(answer: Response) -> list[str]:
    return [product["name"] for product in answer.json()]


PROBES: list[Probe] = [
    Probe(
        "Django's own side still answers",
        "POST /login/",
        200,
        lambda r: "sessionid=" in r.headers["set-cookie"],
        headers={"content-type": "application/x-www-form-urlencoded"},
        body="username=ann&password=pw",
    ),
    Probe("and its 404 stays its own", "GET /nowhere", 404),
    Probe(
        "products, ordered",
        "GET /agents/products",
        200,
        lambda r: names(r) == ["Manual", "Hammer", "Saw"],
    ),
    Probe(
        "Decimal, choices, a property",
        "GET /agents/products",
        200,
        lambda r: (
            (p := r.json()[0])["price"] == "7.90"
            and p["available"] is True
            and (p["category"] in ({"name": "Paper"}, "Paper"))
            and (p["kind"].lower() == "book")
        ),
    ),
    Probe(
        "pagination by scalars",
        "GET /agents/products?offset=1&limit=1",
        200,
        lambda r: names(r) == ["Hammer"],
    ),
    Probe("a limit that is none", "GET /agents/products?limit=x", 400, lambda r: says(r, "limit")),
    Probe(
        "filters of strawberry-django",
        "POST /agents/products/search",
        200,
        lambda r: names(r) == ["Hammer", "Manual"],
        body={"filters": {"name": {"contains": "a"}, "stock": {"gt": 0}}},
    ),
    Probe(
        "filters: OR",
        "POST /agents/products/search",
        200,
        lambda r: names(r) == ["Manual", "Saw"],
        body={"filters": {"name": {"exact": "Saw"}, "OR": {"name": {"exact": "Manual"}}}},
    ),
    Probe(
        "filters: pagination beside them",
        "POST /agents/products/search",
        200,
        lambda r: names(r) == ["Hammer"],
        body={"pagination": {"limit": 1}},
    ),
    Probe(
        "filters: a lookup nobody knows",
        "POST /agents/products/search",
        400,
        lambda r: says(r, "resembles"),
        body={"filters": {"name": {"resembles": "x"}}},
    ),
    Probe(
        "one product",
        "GET /agents/products/1",
        200,
        lambda r: r.json()["name"] == "Hammer" and r.json()["stock"] == 4,
    ),
    Probe("no such product", "GET /agents/products/99", 404),
    Probe("an id that is none", "GET /agents/products/x", 404),
    Probe(
        "nested lists",
        "GET /agents/categories",
        200,
        lambda r: [len(c["products"]) for c in r.json()] == [2, 1],
    ),
    Probe(
        "a plain synchronous resolver may ask the ORM",
        "GET /agents/in-stock",
        200,
        lambda r: r.json() == 2,
    ),
    Probe("nobody", "GET /agents/me", 200, lambda r: r.json() is None),
    Probe(
        "a cookie that is no session",
        "GET /agents/me",
        200,
        lambda r: "ann" not in r.text and r.json() is None,
        headers={"cookie": "sessionid=forged"},
    ),
    Probe(
        "the session's user",
        "GET /agents/me",
        200,
        lambda r: says(r, "ann") and private(r),
        headers=ANN,
    ),
    Probe("a cart needs a login", "GET /agents/cart", 401, lambda r: says(r, "Sign in first.")),
    Probe(
        "bob's cart",
        "GET /agents/cart",
        200,
        lambda r: deep(r.json(), "name") == ["Manual"] and private(r),
        headers=BOB,
    ),
    Probe("ann's cart is empty", "GET /agents/cart", 200, lambda r: r.json() == [], headers=ANN),
    Probe(
        "markdown of bob's cart",
        "GET /agents/cart.md",
        200,
        lambda r: says(r, "Manual") and private(r),
        headers=BOB,
    ),
    Probe(
        "staff only: nobody",
        "GET /agents/accounts",
        401,
        lambda r: says(r, "Staff only.", hides=("boss",)),
    ),
    Probe(
        "staff only: ann",
        "GET /agents/accounts",
        403,
        lambda r: says(r, "Staff only.", hides=("boss",)),
        headers=ANN,
    ),
    Probe(
        "staff only: staff",
        "GET /agents/accounts",
        200,
        lambda r: says(r, "ann", "boss"),
        headers=BOSS,
    ),
    Probe(
        "put into the cart, from its own page",
        "POST /agents/cart",
        200,
        lambda _: carts() == [("ann", "Hammer", 3), *BOBS],
        headers={**ANN, **HERE},
        body={"product": "1", "quantity": 3},
    ),
    Probe(
        "put into the cart, without an Origin (no browser)",
        "POST /agents/cart",
        200,
        lambda _: ("ann", "Hammer", 1) in carts(),
        headers=ANN,
        body={"product": "1"},
    ),
    Probe(
        "A PAGE OF ANOTHER ORIGIN CANNOT",
        "POST /agents/cart",
        403,
        lambda _: carts() == BOBS,
        headers={**ANN, **EVIL},
        body={"product": "1"},
    ),
    Probe(
        "another origin: text/plain to avoid the preflight",
        "POST /agents/cart",
        415,
        lambda _: carts() == BOBS,
        headers={**ANN, **EVIL, "content-type": "text/plain"},
        body='{"product": "1"}',
    ),
    Probe(
        "another origin: a form",
        "POST /agents/cart",
        415,
        lambda _: carts() == BOBS,
        headers={**ANN, **EVIL, "content-type": "application/x-www-form-urlencoded"},
        body="product=1",
    ),
    Probe(
        "another origin: null",
        "POST /agents/cart",
        403,
        lambda _: carts() == BOBS,
        headers={**ANN, "origin": "null"},
        body={"product": "1"},
    ),
    Probe(
        "another origin: by another port",
        "POST /agents/cart",
        403,
        lambda _: carts() == BOBS,
        headers={**ANN, "origin": "http://localhost:3000"},
        body={"product": "1"},
    ),
    Probe(
        "another origin: no Origin, but sec-fetch-site says so",
        "POST /agents/cart",
        403,
        lambda _: carts() == BOBS,
        headers={**ANN, "sec-fetch-site": "cross-site"},
        body={"product": "1"},
    ),
    Probe(
        "another origin: DELETE",
        "DELETE /agents/cart",
        403,
        lambda _: carts() == BOBS,
        headers={**BOB, **EVIL},
    ),
    Probe(
        "another origin: by a tool",
        "POST /agents/mcp",
        403,
        lambda _: carts() == BOBS,
        headers={**MCP, **ANN, **EVIL},
        body=rpc("tools/call", name="add_to_cart", arguments={"product": "1"}),
    ),
    Probe(
        "another origin: no CORS for the preflight",
        "OPTIONS /agents/cart",
        204,
        lambda r: "access-control-allow-origin" not in r.headers,
        headers={
            **EVIL,
            "access-control-request-method": "POST",
            "access-control-request-headers": "content-type",
        },
    ),
    Probe(
        "another origin: an answer it may not read",
        "GET /agents/cart",
        200,
        lambda r: r.headers.get("access-control-allow-origin") not in ("*", "https://evil.example"),
        headers={**BOB, **EVIL},
    ),
    Probe(
        "more than there is: Django's ValidationError",
        "POST /agents/cart",
        400,
        lambda r: says(r, "There are 0 of Saw."),
        headers={**ANN, **HERE},
        body={"product": "2"},
    ),
    Probe(
        "Django's DoesNotExist",
        "POST /agents/cart",
        404,
        lambda r: says(r, hides=("Traceback",)),
        headers={**ANN, **HERE},
        body={"product": "99"},
    ),
    Probe(
        "not logged in", "POST /agents/cart", 401, lambda _: carts() == BOBS, body={"product": "1"}
    ),
    Probe(
        "empty the cart: one's own alone",
        "DELETE /agents/cart",
        200,
        lambda _: carts() == [],
        headers={**BOB, **HERE},
    ),
    Probe(
        "a price: Django's PermissionDenied",
        "PUT /agents/products/1/price",
        403,
        lambda r: says(r, "Only staff may set prices."),
        headers={**ANN, **HERE},
        body={"price": "1.00"},
    ),
    Probe(
        "a price: staff",
        "PUT /agents/products/1/price",
        200,
        lambda r: r.json() == {"name": "Hammer", "price": "1.00"},
        headers={**BOSS, **HERE},
        body={"price": "1.00"},
    ),
    Probe(
        "a price that is none",
        "PUT /agents/products/1/price",
        400,
        lambda r: says(r, "price"),
        headers={**BOSS, **HERE},
        body={"price": "dear"},
    ),
    Probe(
        "links honour the prefix",
        "GET /agents/llms.txt",
        200,
        lambda r: "/agents/products" in r.text,
    ),
    Probe(
        "OpenAPI honours the prefix",
        "GET /agents/openapi.json",
        200,
        lambda r: (
            "/agents" in json.dumps(r.json().get("servers", []))
            or all(p.startswith("/agents") for p in r.json()["paths"])
        ),
    ),
]
TOOLS: list[Call] = [
    Call(
        "price_list",
        {"limit": 2},
        lambda t: [p["name"] for p in t["structuredContent"]["items"]] == ["Manual", "Hammer"],
    ),
    Call(
        "products",
        {"filters": {"name": {"startsWith": "S"}}},
        lambda t: t["structuredContent"]["items"][0]["name"] == "Saw",
    ),
    Call("product", {"id": "3"}, lambda t: t["structuredContent"]["price"] == "7.90"),
    Call("categories", {}, lambda t: len(t["structuredContent"]["items"]) == 2),
    Call("in_stock", {}, lambda t: "2" in json.dumps(t.get("structuredContent", t))),
    Call("me", {}, lambda t: "ann" in json.dumps(t), ANN),
    Call("cart", {}, lambda t: fails(t, "Sign in first.")),
    Call("cart", {}, lambda t: t["structuredContent"]["items"][0]["quantity"] == 2, BOB),
    Call(
        "add_to_cart",
        {"product": "1", "quantity": 2},
        lambda t: not t.get("isError") and ("ann", "Hammer", 2) in carts(),
        ANN,
    ),
    Call("add_to_cart", {"product": "2"}, lambda t: fails(t, "There are 0 of Saw."), ANN),
    Call("accounts", {}, lambda t: fails(t, "Staff only.", hides=("boss",)), ANN),
    Call(
        "set_price",
        {"product": "1", "price": "2.00"},
        lambda t: fails(t, "Only staff may set prices."),
        ANN,
    ),
    Call("empty_cart", {}, lambda t: not t.get("isError") and carts() == [], BOB),
]
CALLERS: list[Caller] = [
    Caller("GET /agents/me", ANN, "ann", "boss"),
    Caller("GET /agents/me", BOSS, "boss", "ann"),
    Caller("GET /agents/me.md", ANN, "ann", "boss"),
    Caller(
        "POST /agents/mcp",
        {**MCP, **ANN},
        "ann",
        "boss",
        rpc("tools/call", name="me", arguments={}),
    ),
    Caller(
        "POST /agents/mcp",
        {**MCP, **BOSS},
        "boss",
        "ann",
        rpc("tools/call", name="me", arguments={}),
    ),
]
