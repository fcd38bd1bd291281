"""The grammars and schemas of the vectors take what is right and refuse what is not."""

from xml.etree.ElementTree import ParseError

import pytest
from abnf import grammar
from relax_ng import schema

ROBOTS = ("rfc3986-uri.abnf", "robots.abnf")
SECURITY = ("rfc3986-uri.abnf", "security-txt.abnf")
LINKS = ("rfc3986-uri.abnf", "link-header.abnf")
CONTACT = "Contact: mailto:a@b.example\n"
EXPIRES = "Expires: 2027-05-20T00:00:00Z\n"

FITS = [
    (ROBOTS, "robotstxt", "User-agent: *\nAllow: /\n"),
    (
        ROBOTS,
        "robotstxt",
        "user-agent : A # one\r\nUSER-AGENT:B\n\nDisallow:\nDisallow: /a*$ # b\n",
    ),
    (ROBOTS, "robotstxt", "User-agent: *\nContent-Signal: search=yes, ai-train=no\n"),
    (ROBOTS, "robotstxt", "User-agent: *\nContent-Usage: / train-ai=n\nAllow: /\u00e9\n"),
    (ROBOTS, "robotstxt", "Sitemap: https://a.example/sitemap.xml\nLicense: https://a.example/l\n"),
    (SECURITY, "unsigned", CONTACT + EXPIRES),
    (SECURITY, "unsigned", f"# why\n\n{EXPIRES}Preferred-Languages: en, pt-PT\n{CONTACT}"),
    (LINKS, "Link", '</a>; rel="b"; type="c/d", <https://e.example/?f#g>;rel=h'),
    (LINKS, "Link", r'<>; title="a \"b\" , <c>"'),
    (("rfc3986-uri.abnf",), "URI", "mailto:a@b.example"),
    (("rfc3986-uri.abnf",), "URI", "http://[2001:db8::1]:8000/a?b#c"),
    (("llms-txt.abnf",), "llms-txt", "# A\n"),
    (("llms-txt.abnf",), "llms-txt", "# A\n\n> B\n\nC\n\n## D\n\n- [e](https://f.example/): g\n"),
]
FITS_NOT = [
    (ROBOTS, "robotstxt", "Allow: /\n"),
    (ROBOTS, "robotstxt", "User-agent: *\nAllow: a\n"),
    (ROBOTS, "robotstxt", "User-agent: two words\n"),
    (ROBOTS, "robotstxt", "User-agent: *\nContent-Usage: train-ai=n\n"),
    (ROBOTS, "robotstxt", "User-agent: *\nContent-Usage: / ai-train=no\n"),
    (ROBOTS, "robotstxt", "User-agent: *\nContent-Signal: ai-train=maybe\n"),
    (ROBOTS, "robotstxt", "Content-Signal: search=yes\n"),
    (ROBOTS, "robotstxt", "Sitemap: /sitemap.xml\n"),
    (ROBOTS, "robotstxt", "User-agent: *\nAllow: /"),
    (SECURITY, "unsigned", CONTACT),
    (SECURITY, "unsigned", EXPIRES),
    (SECURITY, "unsigned", CONTACT + EXPIRES * 2),
    (SECURITY, "unsigned", "Contact: a@b.example\n" + EXPIRES),
    (SECURITY, "unsigned", f"Contact: mailto:a{{b}}@c.example\n{EXPIRES}"),
    (SECURITY, "unsigned", CONTACT + "Expires: tomorrow\n"),
    (SECURITY, "unsigned", CONTACT + EXPIRES.strip()),
    (LINKS, "Link", "/a; rel=b"),
    (LINKS, "Link", "</a b>; rel=c"),
    (LINKS, "Link", '</a>; rel="b'),
    (LINKS, "Link", "</a> rel=b"),
    (LINKS, "Link", ""),
    (("rfc3986-uri.abnf",), "URI", "/a"),
    (("rfc3986-uri.abnf",), "URI", "http://a.example/%zz"),
    (("llms-txt.abnf",), "llms-txt", "## A\n"),
    (("llms-txt.abnf",), "llms-txt", "# A\n\n> B\n\n## C\n\n"),
    (("llms-txt.abnf",), "llms-txt", "# A\n\nB\n\n## C\n\n- prose\n"),
    (("llms-txt.abnf",), "llms-txt", "# A\n\n## C\n\n- [d]e](https://f.example/)\n"),
    (("llms-txt.abnf",), "llms-txt", "# A\n\n## C\n\n- [d](https://f.example/a(b))\n"),
    (("llms-txt.abnf",), "llms-txt", "# A\n\n## C\n\n- [d](https://f.example/) - e\n"),
]

ATOM = (
    '<feed xmlns="http://www.w3.org/2005/Atom"><id>tag:a.example,2026:b</id><title>c</title>'
    "<updated>2026-01-01T00:00:00Z</updated><author><name>d</name></author>{0}</feed>"
)
ENTRY = (
    "<entry><id>tag:a.example,2026:e</id><title>f</title>"
    "<updated>2026-01-01T00:00:00Z</updated>{0}</entry>"
)
RSL = (
    '<rsl xmlns="https://rslstandard.org/rsl"><content url="/">{0}'
    "<terms>https://a.example/terms</terms></content></rsl>"
)
FREE = '<license><permits type="usage">search ai-input</permits><payment type="free"/></license>'
URLS = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{0}</urlset>'
URL = "<url><loc>https://a.example/</loc><lastmod>2026-01-01</lastmod></url>"
LATE = "2026-01-01T00:00:00+01:00"

VALID = [
    ("atom.rng", ATOM.format("")),
    ("atom.rng", ATOM.format(ENTRY.format('<content type="text">&lt;b&gt;</content>'))),
    ("atom.rng", ATOM.format(ENTRY.format(f"<published>{LATE}</published>") + ENTRY.format(""))),
    ("atom.rng", ATOM.format('<link href="/a" rel="self"/><category term=""/>')),
    ("rsl-1.0.rng", RSL.format(FREE)),
    ("rsl-1.0.rng", RSL.format(f"<copyright>a</copyright>{FREE * 2}")),
    ("sitemap-0.9.rng", URLS.format(URL * 3)),
    ("sitemap-0.9.rng", URLS.format(f"\n  {URL}\n")),
]
INVALID = [
    ("atom.rng", ATOM.format("").replace("<title>c</title>", "")),
    ("atom.rng", ATOM.format("<title>twice</title>")),
    ("atom.rng", ATOM.format("").replace("<author><name>d</name></author>", "")),
    ("atom.rng", ATOM.format(ENTRY.format("<content><b>c</b></content>"))),
    ("atom.rng", ATOM.format(ENTRY.format("<published>2026-01-01</published>"))),
    ("atom.rng", ATOM.format(ENTRY.format("").replace("tag:", ""))),
    ("atom.rng", ATOM.format("<category/>")),
    ("atom.rng", ATOM.format("stray words")),
    ("atom.rng", ATOM.format("").replace("2005/Atom", "2005/Molecule")),
    ("rsl-1.0.rng", RSL.format("")),
    ("rsl-1.0.rng", RSL.format(FREE.replace("search", "search,"))),
    ("rsl-1.0.rng", RSL.format(FREE.replace("search", "train-ai"))),
    ("rsl-1.0.rng", RSL.format(FREE.replace("free", "gratis"))),
    ("rsl-1.0.rng", RSL.format(FREE).replace(' url="/"', "")),
    (
        "rsl-1.0.rng",
        RSL.format(FREE.replace("<payment", '<permits type="usage">all</permits><payment')),
    ),
    ("sitemap-0.9.rng", URLS.format("")),
    ("sitemap-0.9.rng", URLS.format(URL.replace("https://a.example", ""))),
    ("sitemap-0.9.rng", URLS.format(URL.replace("2026-01-01", "2026-13-01"))),
    ("sitemap-0.9.rng", URLS.format(URL.replace("<loc>https://a.example/</loc>", ""))),
]


@pytest.mark.parametrize(("files", "rule", "text"), FITS)
def test_a_grammar_takes_what_fits(files: tuple[str, ...], rule: str, text: str) -> None:
    assert grammar(*files).fits(rule, text.encode())


@pytest.mark.parametrize(("files", "rule", "text"), FITS_NOT)
def test_a_grammar_refuses_what_does_not(files: tuple[str, ...], rule: str, text: str) -> None:
    assert not grammar(*files).fits(rule, text.encode())


@pytest.mark.parametrize(("name", "document"), VALID)
def test_a_schema_takes_what_is_valid(name: str, document: str) -> None:
    assert schema(name).fits(document.encode())


@pytest.mark.parametrize(("name", "document"), INVALID)
def test_a_schema_refuses_what_is_not(name: str, document: str) -> None:
    assert not schema(name).fits(document.encode())


@pytest.mark.parametrize("name", ["atom.rng", "rsl-1.0.rng", "sitemap-0.9.rng"])
def test_a_schema_refuses_what_is_not_even_xml(name: str) -> None:
    for document in (b"", b"{}", b"<feed>", b"<a>\xef\xbf\xbe</a>"):
        with pytest.raises(ParseError):
            schema(name).fits(document)
