"""The list of all discovery documents, in the order of the index."""

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
        "Every path, parameter, response and error of this service, in OpenAPI 3.1.",
        openapi,
        rel="service-desc",
        parameter="version=3.1",
    ),
    Document(
        "/.well-known/agent.json",
        "application/json",
        "Agent document",
        "Who provides this service, its endpoints and skills, and the terms of use.",
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
        "The interfaces of this service for agents.",
        ai_catalog,
    ),
    Document(
        "/license.xml",
        RSL,
        "Licence",
        "How the content may be used, in Really Simple Licensing (RSL).",
        licence,
        rel="license",
    ),
    Document(
        "/robots.txt",
        "text/plain",
        "Rules for crawlers",
        "Which crawlers may read this service, and for which uses.",
        robots,
    ),
    Document(
        "/sitemap.xml",
        "application/xml",
        "Sitemap",
        "Every address in the index.",
        sitemap,
        rel="sitemap",
    ),
    Document(
        "/.well-known/security.txt",
        "text/plain",
        "Security contact",
        "Where to report a security problem.",
        security,
        daily=True,
    ),
)
