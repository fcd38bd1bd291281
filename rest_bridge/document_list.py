"""The list of all discovery documents, in the order of the index."""

from rest_bridge.discovery.agents import AI_CATALOG, ard, skills_index
from rest_bridge.discovery.catalogs import (
    LINKSET,
    LINKSET_PROFILE,
    OPENAPI,
    agent_card,
    api_catalog,
)
from rest_bridge.discovery.crawlers import RSL, licence, robots, security, sitemap
from rest_bridge.discovery.documents import AgentInterface, Document
from rest_bridge.openapi.document import openapi
from rest_bridge.representations.rendering import JSON

REST = AgentInterface(
    "rest",
    reaches=lambda operation: operation.rest is not None,
    capabilities=lambda snapshot: [
        o.name for o in snapshot.operations if o.rest is not None and not o.is_read
    ],
)

DOCUMENTS = (
    Document(
        "/openapi.json",
        OPENAPI,
        "OpenAPI description",
        "Every path, parameter, response and error of this service, in OpenAPI 3.1.",
        openapi,
        goals=(
            "OpenAPI or Swagger specification of the API",
            "generate a client from a machine-readable API description",
            "JSON Schemas of every request and response",
            "which parameters and status codes does each endpoint have",
            "API reference of the HTTP endpoints",
        ),
        rel="service-desc",
        parameter="version=3.1",
        interface=REST,
    ),
    Document(
        "/.well-known/agent.json",
        "application/json",
        "Agent document",
        "Who provides this service, its endpoints and skills, and the terms of use.",
        agent_card,
        goals=(
            "agent card for agent-to-agent discovery (A2A)",
            "which skills and endpoints does this agent offer",
            "agent.json of this host",
            "machine-readable description of the provider and its capabilities",
        ),
        rel="describedby",
    ),
    Document(
        "/.well-known/api-catalog",
        LINKSET,
        "API catalog",
        "The addresses that need no parameter, as a linkset.",
        api_catalog,
        goals=(
            "API catalog as a linkset (RFC 9727)",
            "linkset of all API endpoints",
            "well-known API catalog",
            "enumerate the addresses of the API with their link relations",
        ),
        rel="api-catalog",
        parameter=f'profile="{LINKSET_PROFILE}"',
    ),
    Document(
        "/.well-known/ard.json",
        JSON,
        "Agentic resources",
        "The interfaces of this service for agents, each with questions that it answers.",
        ard,
        goals=(
            "ard.json",
            "Agentic Resource Discovery manifest (ARD)",
            "agentic resources of this domain with representative queries",
            "what would an agent registry index about this host",
        ),
        rel="ard",
        minor=True,
    ),
    Document(
        "/.well-known/ai-catalog.json",
        AI_CATALOG,
        "AI catalog",
        "/.well-known/ard.json at the path of the AI catalog.",
        ard,
        goals=(
            "AI catalog of the interfaces for agents",
            "which agent protocols does this host speak",
            "discover the MCP and other agent interfaces of this domain",
            "well-known catalog for AI clients",
        ),
        rel="ai-catalog",
        minor=True,
    ),
    Document(
        "/.well-known/agent-skills/index.json",
        JSON,
        "Agent skills",
        "The skills for agents that work with this service, each with its digest.",
        skills_index,
        goals=(
            "index of agent skills",
            "agent skills of this domain",
            "which SKILL.md files can an agent install from here",
            "well-known agent-skills index with digests",
        ),
        minor=True,
    ),
    Document(
        "/license.xml",
        RSL,
        "Licence",
        "How the content may be used, in Really Simple Licensing (RSL).",
        licence,
        needs="licensing",
        goals=(
            "licence terms as RSL XML",
            "Really Simple Licensing document",
            "machine-readable licence file for crawlers",
            "license.xml",
        ),
        rel="license",
        minor=True,
    ),
    Document(
        "/robots.txt",
        "text/plain",
        "Rules for crawlers",
        "Which crawlers may read this service, and for which uses.",
        robots,
        goals=(
            "robots.txt",
            "which bots may crawl this host",
            "rules for crawlers and user agents",
            "is my crawler disallowed here",
        ),
        minor=True,
    ),
    Document(
        "/sitemap.xml",
        "application/xml",
        "Sitemap",
        "Every address in the catalog.",
        sitemap,
        goals=(
            "sitemap.xml",
            "XML sitemap of all pages",
            "list of URLs for a search engine's crawler",
            "which pages should a crawler visit, in sitemap format",
        ),
        rel="sitemap",
        minor=True,
    ),
    Document(
        "/.well-known/security.txt",
        "text/plain",
        "Security contact",
        "Where to report a security problem.",
        security,
        needs="email",
        goals=(
            "security.txt",
            "report a vulnerability or a security problem",
            "where do researchers disclose a security hole",
            "contact for responsible disclosure",
        ),
        daily=True,
        minor=True,
    ),
)
