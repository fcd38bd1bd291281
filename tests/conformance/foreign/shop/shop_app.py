"""Toolshop: strawberry-django on SQLite, with Django's sessions and users; mounted at a prefix."""

import decimal
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import django
from django.conf import settings

Made = TypeVar("Made")
FOLDER = tempfile.TemporaryDirectory(prefix="shop")
settings.configure(
    SECRET_KEY="only-for-this-test",
    DEBUG=False,
    ALLOWED_HOSTS=["localhost"],
    ROOT_URLCONF="shop_app",
    USE_TZ=True,
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": Path(FOLDER.name) / "shop.sqlite",
            "OPTIONS": {"timeout": 20},
        }
    },
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "strawberry_django",
        "storefront",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
)
django.setup()

import strawberry
import strawberry_django
from django.contrib.auth import (
    BACKEND_SESSION_KEY,
    HASH_SESSION_KEY,
    SESSION_KEY,
    authenticate,
    get_user_model,
    login,
)
from django.contrib.sessions.backends.db import SessionStore
from django.core.asgi import get_asgi_application
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.management import call_command
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from starlette.types import ASGIApp, Receive, Scope, Send
from storefront.models import CartLine, Category, Product
from strawberry import auto
from strawberry.permission import BasePermission
from strawberry.types import Info
from strawberry_django.optimizer import DjangoOptimizerExtension
from strawberry_django.permissions import IsStaff

from surfaces.django import get_context

User = get_user_model()


@strawberry_django.filter_type(Product, lookups=True)
class ProductFilter:
    name: auto
    stock: auto


@strawberry_django.order_type(Product)
class ProductOrder:
    name: auto
    price: auto


@strawberry_django.type(Category)
class CategoryType:
    id: auto
    name: auto
    products: list["ProductType"]


@strawberry_django.type(Product, filters=ProductFilter, ordering=ProductOrder, pagination=True)
class ProductType:
    id: auto
    name: auto
    price: auto
    kind: auto
    stock: auto
    added: auto
    category: CategoryType

    @strawberry_django.field(only=["stock"])
    def available(self) -> bool:
        return self.stock > 0


@strawberry_django.type(CartLine)
class CartLineType:
    id: auto
    quantity: auto
    product: ProductType


@strawberry_django.type(User)
class UserType:
    id: auto
    username: auto


class SignedIn(BasePermission):
    message = "Sign in first."
    error_extensions = {"code": "UNAUTHENTICATED"}

    def has_permission(self, source: Any, info: Info, **kwargs: Any) -> bool:
        return info.context.request.user.is_authenticated


@strawberry.type
class Query:
    products: list[ProductType] = strawberry_django.field()
    categories: list[CategoryType] = strawberry_django.field()
    accounts: list[UserType] = strawberry_django.field(
        extensions=[IsStaff(message="Staff only.", fail_silently=False)]
    )

    @strawberry_django.field
    def product(self, id: strawberry.ID) -> ProductType | None:
        return Product.objects.filter(pk=id).first() if id.isdigit() else None

    @strawberry.field
    def in_stock(self) -> int:
        "A plain synchronous resolver that asks the ORM: it must not run on the event loop."
        return Product.objects.filter(stock__gt=0).count()

    @strawberry.field(permission_classes=[SignedIn])
    async def cart(self, info: Info) -> list[CartLineType]:
        return [
            line
            async for line in CartLine.objects.filter(user=info.context.request.user)
            .select_related("product__category")
            .order_by("id")
        ]

    @strawberry_django.field
    def me(self, info: Info) -> UserType | None:
        user = info.context.request.user
        return user if user.is_authenticated else None


@strawberry.type
class Mutation:
    @strawberry_django.mutation(permission_classes=[SignedIn])
    def add_to_cart(self, info: Info, product: strawberry.ID, quantity: int = 1) -> CartLineType:
        found = Product.objects.get(pk=product)
        if quantity < 1 or quantity > found.stock:
            raise ValidationError(f"There are {found.stock} of {found.name}.")
        line, fresh = CartLine.objects.get_or_create(
            user=info.context.request.user, product=found, defaults={"quantity": quantity}
        )
        if not fresh:
            line.quantity += quantity
            line.save()
        return line

    @strawberry_django.mutation(permission_classes=[SignedIn])
    def empty_cart(self, info: Info) -> int:
        return CartLine.objects.filter(user=info.context.request.user).delete()[0]

    @strawberry_django.mutation
    def set_price(self, info: Info, product: strawberry.ID, price: decimal.Decimal) -> ProductType:
        if not info.context.request.user.is_staff:
            raise PermissionDenied("Only staff may set prices.")
        found = Product.objects.get(pk=product)
        found.price = price
        found.save()
        found.refresh_from_db()
        return found


schema = strawberry.Schema(Query, Mutation, extensions=[DjangoOptimizerExtension])


@csrf_exempt
def log_in(request: HttpRequest) -> JsonResponse:
    user = authenticate(
        request, username=request.POST.get("username"), password=request.POST.get("password")
    )
    if user is None:
        return JsonResponse({"error": "no"}, status=400)
    login(request, user)
    return JsonResponse({"user": user.username})


urlpatterns = [path("login/", log_in)]
BASE = "/agents"


def mounted(agents: ASGIApp) -> ASGIApp:
    """What `asgi.py` has: one application below the prefix, Django's for the rest."""
    site = get_asgi_application()

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        is_below = f"{scope.get('path')}/".startswith(f"{BASE}/")
        await (agents if is_below else site)(scope, receive, send)

    return application


def blocking(function: Callable[..., Made], *arguments: object) -> Made:
    """Run what the ORM refuses in the thread of a running loop."""

    def run() -> Made:
        try:
            return function(*arguments)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()


def create() -> None:
    call_command("migrate", verbosity=0, run_syncdb=True)
    for name, staff in (("ann", False), ("bob", False), ("boss", True)):
        User.objects.create_user(name, password="pw", is_staff=staff)


def fill() -> None:
    CartLine.objects.all().delete()
    Product.objects.all().delete()
    Category.objects.all().delete()
    hand, paper = (
        Category.objects.create(id=1, name="Hand"),
        Category.objects.create(id=2, name="Paper"),
    )
    for i, (name, price, kind, stock, category) in enumerate(
        [
            ("Hammer", "12.50", "tool", 4, hand),
            ("Saw", "20.00", "tool", 0, hand),
            ("Manual", "7.90", "book", 9, paper),
        ],
        1,
    ):
        Product.objects.create(
            id=i, name=name, price=price, kind=kind, stock=stock, category=category
        )
    CartLine.objects.create(id=1, user=User.objects.get(username="bob"), product_id=3, quantity=2)


def session(name: str) -> dict[str, str]:
    """The cookie of a user who has logged in by Django."""
    user, store = User.objects.get(username=name), SessionStore()
    store[SESSION_KEY], store[HASH_SESSION_KEY] = str(user.pk), user.get_session_auth_hash()
    store[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    store.save()
    return {"cookie": f"{settings.SESSION_COOKIE_NAME}={store.session_key}"}


blocking(create)
blocking(fill)
OPTIONS = {
    "name": "Toolshop",
    "get_context": get_context,
}
