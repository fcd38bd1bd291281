"""The paths of the specification are operations, and each operation has an example."""

from local_service import stored_operations

SPEC_PATHS = {
    "/",
    "/llms.txt",
    "/llms-full.txt",
    *("/api/manifest", "/api/about", "/api/thesis", "/api/practice", "/api/convictions"),
    *("/api/projects", "/api/projects/{slug}", "/api/onchain", "/api/onchain/{slug}"),
    *("/api/looking-for", "/api/scheduling", "/api/journey", "/api/headline-numbers"),
    *("/api/changelog", "/api/feed.json", "/api/agent-pulse", "/api/certifications"),
    *("/api/manifest.sig", "/api/changelog.sig", "/api/snapshot.sig", "/.well-known/jwks.json"),
    "/api/identity",
    *("/api/status", "/api/faq", "/api/glossary", "/api/engagement", "/api/domains"),
}


def test_the_paths_of_the_specification_are_operations() -> None:
    reads = [o.rest for o in stored_operations() if o.rest is not None and o.rest.method == "GET"]
    signed = {operation.signed_path for operation in stored_operations()}
    assert {rest.path for rest in reads} | signed >= SPEC_PATHS


def test_every_operation_has_an_example() -> None:
    assert not [operation.name for operation in stored_operations() if not operation.examples]
