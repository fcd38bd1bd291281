"""Every document about the service, in the order in which an index lists them."""

from rest_bridge.discovery.catalogs import (
    AI_CATALOG,
    LINKSET,
    LINKSET_PROFILE,
    OPENAPI,
    agent_card,
    ai_catalog,
    api_catalog,
)
from rest_bridge.discovery.crawlers import RSL, licence, robots, security, sitemap
from rest_bridge.discovery.documents import Document
from rest_bridge.openapi.document import openapi

DOCUMENTS = (
    Document(
        "/openapi.json",
        OPENAPI,
        "OpenAPI description",
        "Every path, parameter, answer and error of this service, in OpenAPI 3.1.",
        openapi,
        rel="service-desc",
        parameter="version=3.1",
    ),
    Document(
        "/.well-known/agent.json",
        "application/json",
        "Agent document",
        "Who answers here, what can be asked and what may be done with it.",
        agent_card,
        rel="describedby",
    ),
    Document(
        "/.well-known/api-catalog",
        LINKSET,
        "API catalog",
        "Every address of this service as a linkset.",
        api_catalog,
        rel="api-catalog",
        parameter=f'profile="{LINKSET_PROFILE}"',
    ),
    Document(
        "/.well-known/ai-catalog.json",
        AI_CATALOG,
        "AI catalog",
        "What agents can use here.",
        ai_catalog,
    ),
    Document(
        "/license.xml",
        RSL,
        "Licence",
        "What may be done with the content, in Really Simple Licensing.",
        licence,
        rel="license",
    ),
    Document(
        "/robots.txt",
        "text/plain",
        "Rules for crawlers",
        "Who may crawl what, and what for.",
        robots,
    ),
    Document(
        "/sitemap.xml",
        "application/xml",
        "Sitemap",
        "Every address that can be read.",
        sitemap,
        rel="sitemap",
    ),
    Document(
        "/.well-known/security.txt",
        "text/plain",
        "Security contact",
        "Where to report a weakness of this service.",
        security,
        daily=True,
    ),
)
