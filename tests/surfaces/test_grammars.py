"""The grammars of the vectors take what is right and refuse what is not."""

import pytest
from abnf import grammar

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


@pytest.mark.parametrize(("files", "rule", "text"), FITS)
def test_a_grammar_takes_what_fits(files: tuple[str, ...], rule: str, text: str) -> None:
    assert grammar(*files).fits(rule, text.encode())


@pytest.mark.parametrize(("files", "rule", "text"), FITS_NOT)
def test_a_grammar_refuses_what_does_not(files: tuple[str, ...], rule: str, text: str) -> None:
    assert not grammar(*files).fits(rule, text.encode())
