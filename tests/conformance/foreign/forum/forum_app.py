"""What `asgi.py` has."""

from pathlib import Path

from django.core.asgi import get_asgi_application

site = get_asgi_application()

from forum_schema import schema

from surfaces import Surfaces
from surfaces.django import get_context

urlpatterns: list[object] = []
agents = Surfaces(
    schema,
    Path(__file__).parent / "operations",
    name="Forum",
    url="http://forum.example/agents",
    get_context=get_context,
)
application = agents.beside(site)
