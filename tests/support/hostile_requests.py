"""Addresses that are odd in every way, and bytes that are no request."""

CONTROLS = ["%00", "%0a", "%0d%0aX-Sent:%201", "%09", "%1b%5b31m", "%7f", "%c2%80", "%e2%80%a8"]
BROKEN = ["%ff", "%c0%af", "%ed%a0%80", "%f4%90%80%80", "%80%80"]
NASTY = [
    *CONTROLS,
    *BROKEN,
    *("%f0%9f%92%a9", "%e2%80%ae", "%cc%80"),
    *("%", "%2", "%zz", "%u0041", "%25", "%2500", "%252e%252e", "%2f", "%2F..%2F", "%5c..%5c"),
    *(".", "..", "../..", "....//", "%2e%2e/%2e%2e", "/", "//", "./", ";", ";a=b", ":80", "@x"),
    *("{slug}", "%7bslug%7d", "[]", "[0]", "%5b%5d", "*", "~", "!", "$", "'", '"', "`", "|", "^"),
    *("<script>", "%3cscript%3e", "${7*7}", "{{7*7}}", "%s%n%x", "-1", "1e400", "9" * 400),
    *("null", "None", "true", "__proto__", "__class__", ".git/config", ".env", "NaN", "0x1f"),
    *("a" * 5000, "%41" * 2000, "a/" * 1000, "&" * 49, "=" * 500, "a=b&" * 60, "a=&" * 49, "+"),
    *("2026-02-30T00:00:00Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00%2B14:00", "2026"),
    *("9999-12-31T23:59:59-14:00", "2026-06-30T23:59:60Z", "2026-01-01T00:00:00.1234567Z"),
]
PLACES = [
    "/@",
    "/api/@",
    "/api/projects/@",
    "/api/onchain/@.md",
    "/@/llms.txt",
    "/?@",
    "/api/agent-pulse?since=@",
    "/api/changelog?kind=@&@=@",
    "/api/certifications.json?@=1&category=@",
    "/api/glossary?fields=@",
    "/api/faq.md?limit=@&offset=@",
]
UNREADABLE = [
    b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /?\x80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX\xff: b\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n folded: b\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
    b"GET  HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"FETCH / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"get / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    b"\r\n\r\nnothing of HTTP\r\n\r\n",
]
