"""Every resource has the fields that it is specified to have, optional exactly where they are."""

import re
from collections.abc import Iterator

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    get_named_type,
    is_composite_type,
)
from local_service import stored_operations

from resolvers.executable_schema import full_schema
from sdl.types.shape import ListShape, ObjectShape, Shape

STORED = full_schema()
SCHEMA: GraphQLSchema = STORED._schema  # noqa: SLF001 - Strawberry has no public name for it

# A field is its name, `[]` where it is a list, `?` where it may be absent and, after a colon,
# the type of what it holds, unless that is written as a plain string.
SPECIFIED = {
    "Studio": """name url tagline? oneLiner description? founded? founder:Founder contact:Contact
        ens? social[]:Handle languages[] currentlyStudying[]:Study thesis? practice[]:PracticeArea
        convictions[]:Conviction lookingFor[]:LookingFor scheduling?:Scheduling onChain?:OnChain
        journey[]:JourneyStep certifications[]:Certification""",
    "Founder": """name role? identity? based? worksFrom? personality?:Personality traits[] mantras[]
        formation[]:Formation handles[]:Handle ens?""",
    "Personality": "type framework description",
    "Formation": "institution subject honors?",
    "Handle": "platform handle url",
    "Contact": "email programmaticEmail? programmaticEmailHint?",
    "Study": "name source subjects[] status",
    "PracticeArea": "area category summary evidence[] active:Boolean",
    "Conviction": "headline body",
    "LookingFor": "headline body",
    "Scheduling": "timezone workingHours responseSla",
    "OnChain": """primary:RegisteredName aliases[]:RegisteredName secondaryWallets[]:Wallet stance
        artifacts[]:Artifact""",
    "RegisteredName": "ens address registeredAt:Date",
    "Wallet": "address label role",
    "JourneyStep": "period headline body evidence[]? reinforces[]",
    "Certification": "title issuer issuedAt? credentialId? honors? skills[]? category",
    "Artifact": """slug type:ArtifactType standard network contract tokenId collection symbol?
        holder mintedAt?:DateOrDateTime signedTo? pledgeWei? tokenCount?:Int
        additionalTokenIds[]? externalUrl? significance verifiedVia verifiedAt:Date""",
    "Domain": "slug name tagline summary",
    "Project": """slug name tagline summary status:ProjectStatus version? url? domain[] stack[]
        highlights[]:Highlight stance[]?:Stance llmReady?:Boolean llmReadyReportUrl?
        client?:Client ownership:Ownership startedAt keywords[] actions[]:ProjectAction
        relatedProjects[] lastUpdated:Date""",
    "Highlight": "label value detail",
    "Stance": "label body",
    "Client": "name role location",
    "ProjectAction": "verb description endpoint tool?",
    "Status": "asOf?:DateTime studio?:StudioStatus projects[]:ProjectState studying[]:StudyState",
    "StudioStatus": "state openToWork:Boolean",
    "ProjectState": "slug status:ProjectStatus version? url?",
    "StudyState": "name source status",
    "Engagement": "availability responseSla scope[] notInScope[] preferredChannel",
    "FaqEntry": "q a tags[]",
    "GlossaryEntry": "slug term definition aliases[]? related[]?",
    "HeadlineNumber": "slug label value unit? detail asOf:Date source?",
    "ChangelogEntry": "id publishedAt:DateTime kind:ChangeKind title body refs[]? url?",
    "Github": """asOf:DateTime profile:GithubProfile activity[]:GithubEvent stars[]:GithubStar
        readingList[]:GithubStar repos[]:GithubRepo readme?:GithubReadme stale:Boolean""",
    "GithubProfile": """login name bio? url followers:Int following:Int publicRepos:Int
        createdAt:DateTime""",
    "GithubEvent": "id type repo title url at:DateTime",
    "GithubStar": "repo description? language? stars:Int url starredAt:DateTime",
    "GithubRepo": """name description? url language? stars:Int forks:Int topics[]
        pushedAt:DateTime archived:Boolean""",
    "GithubReadme": "markdown sha fetchedAt:DateTime",
    "AgentPulse": """since?:DateTime asOf?:DateTime revision rollupHash treeSize:Int count:Int
        changes[]:ChangelogEntry status:Status next""",
}
WORDS = {
    "ProjectStatus": ["in-production", "in-development"],
    "Ownership": ["studio", "client"],
    "ArtifactType": ["attestation", "nft", "cluster"],
    "ChangeKind": ["added", "changed", "fixed", "removed", "announced"],
    "ClaimType": ["dns-txt", "ens", "signing-key", "webhook-key"],
    "ClaimStatus": ["verified", "mismatch", "unverified"],
    "Permission": ["allowed", "with-attribution", "not-allowed"],
    "IntroductionLength": ["sentence", "paragraph", "page"],
    "SearchKind": [
        *("thesis", "practice", "conviction", "lookingFor", "project", "domain", "faq", "glossary")
    ],
    "ChatRole": ["user", "assistant", "system"],
    "Band": ["answer", "closest", "refuse"],
    "Answered": ["yes", "partly", "no"],
    "Basis": ["field", "faq", "definition", "quotation", "none"],
    "FinishReason": ["stop", "length", "truncated", "error"],
    "Confidence": ["high", "medium", "low"],
}
ADDRESSES = [
    ("slug", name)
    for name in ("PracticeArea", "Conviction", "LookingFor", "Certification", "FaqEntry")
]
STRINGS = {
    *("String", "Slug", "Reference", "ChangeId", "YearMonth", "Url", "Path", "Email", "Digest"),
    *("Wei", "Address", "LanguageCode", "TimeZone", "Markdown"),
}
ENUMS = {
    name: kind
    for name, kind in SCHEMA.type_map.items()
    if isinstance(kind, GraphQLEnumType) and not name.startswith("__")
}


def written(name: str, field: GraphQLField) -> str:
    """The field as the table writes it."""
    kind = field.type
    optional = "" if isinstance(kind, GraphQLNonNull) else "?"
    inner = kind.of_type if isinstance(kind, GraphQLNonNull) else kind
    many = ""
    if isinstance(inner, GraphQLList):
        assert isinstance(inner.of_type, GraphQLNonNull), "no list holds nulls"
        many = "[]"
    named = get_named_type(kind).name
    return f"{name}{many}{optional}{'' if named in STRINGS else f':{named}'}"


def fields_of(name: str) -> dict[str, GraphQLField]:
    """The fields of an object type, without the derived slug that is only in its address."""
    kind = SCHEMA.type_map[name]
    assert isinstance(kind, GraphQLObjectType)
    return {n: field for n, field in kind.fields.items() if (n, name) not in ADDRESSES}


@pytest.mark.parametrize("name", SPECIFIED)
def test_a_type_has_the_specified_fields_in_their_order(name: str) -> None:
    specified = SPECIFIED[name].split()
    fields = [written(*item) for item in fields_of(name).items()]
    assert fields[: len(specified)] == specified


@pytest.mark.parametrize("name", SPECIFIED)
def test_what_a_type_has_besides_leads_to_other_resources(name: str) -> None:
    for field in list(fields_of(name).values())[len(SPECIFIED[name].split()) :]:
        assert is_composite_type(get_named_type(field.type))


def test_the_table_leads_to_every_type_it_names() -> None:
    named = set(re.findall(r":(\w+)", " ".join(SPECIFIED.values())))
    scalars = {"Boolean", "Int", "Date", "DateTime", "DateOrDateTime"}
    assert named - scalars <= set(SPECIFIED) | set(WORDS)


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ("projects", "[Project!]!"),
        ("project", "Project"),
        ("studio", "Studio!"),
        ("thesis", "String"),
        ("practice", "[PracticeArea!]!"),
        ("convictions", "[Conviction!]!"),
        ("lookingFor", "[LookingFor!]!"),
        ("scheduling", "Scheduling"),
        ("journey", "[JourneyStep!]!"),
        ("onChain", "OnChain"),
        ("artifact", "Artifact"),
        ("headlineNumbers", "[HeadlineNumber!]!"),
        ("changelog", "[ChangelogEntry!]!"),
        ("agentPulse", "AgentPulse!"),
        ("certifications", "[Certification!]!"),
        ("status", "Status!"),
        ("faq", "[FaqEntry!]!"),
        ("glossary", "[GlossaryEntry!]!"),
        ("engagement", "Engagement"),
        ("domains", "[Domain!]!"),
        ("manifest", "Manifest!"),
        ("githubAccount", "Github"),
        ("githubProfile", "GithubProfile"),
        ("githubActivity", "[GithubEvent!]"),
        ("githubStars", "[GithubStar!]"),
        ("githubReadingList", "[GithubStar!]"),
        ("githubRepos", "[GithubRepo!]"),
        ("githubReadme", "GithubReadme"),
    ],
)
def test_every_resource_can_be_asked_for(field: str, kind: str) -> None:
    assert SCHEMA.query_type is not None
    assert str(SCHEMA.query_type.fields[field].type) == kind


def test_every_enum_of_the_schema_has_its_words_here() -> None:
    assert set(ENUMS) == set(WORDS)


def member(word: str) -> str:
    """The name that a wire word has in GraphQL."""
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", word).upper().replace("-", "_")


@pytest.mark.parametrize("name", WORDS)
def test_the_value_of_an_enum_member_is_its_wire_word(name: str) -> None:
    members = ENUMS[name].values
    words = [getattr(member.value, "value", member.value) for member in members.values()]
    assert words == WORDS[name]
    assert list(members) == [member(word) for word in WORDS[name]]


@pytest.mark.parametrize("name", WORDS)
def test_the_schema_as_text_says_the_wire_word_of_every_member(name: str) -> None:
    (block,) = re.findall(
        rf"^enum {name} \{{\n(.*?)^\}}", STORED.as_str(), re.DOTALL | re.MULTILINE
    )
    lines = re.findall(r'^  ([A-Z_]+) @wire\(word: "([^"]+)"\)$', block, re.MULTILINE)
    assert lines == [(member(word), word) for word in WORDS[name]]


def objects_in(shape: Shape) -> Iterator[ObjectShape]:
    """The objects in a shape, at any depth."""
    if isinstance(shape, ListShape):
        yield from objects_in(shape.item)
    elif isinstance(shape, ObjectShape):
        yield shape
        for field in shape.fields:
            yield from objects_in(field.shape)


def test_a_derived_slug_is_in_no_stored_answer() -> None:
    for operation in stored_operations():
        for kind in objects_in(operation.shape):
            keys = {field.key for field in kind.fields}
            assert ("slug", kind.type_name) not in ADDRESSES or "slug" not in keys


def test_what_only_content_needs_stays_off_every_surface() -> None:
    assert "github" not in fields_of("Query")
