"""A hundred URLs that no request may be sent to, grouped by what is wrong with them.

A lenient parser or resolver would let each lead to this machine or to a network that is not public.
`{port}` stands for a port of this machine on which a test counts connections.
"""

LITERALS = (
    *("https://127.0.0.1/", "https://127.0.0.1:8443/", "https://127.1/", "https://127.0.1:8443/"),
    *("https://2130706433/", "https://0x7f000001/", "https://0x7f.1/", "https://017700000001/"),
    *("https://0177.0.0.1/", "https://127.0.0.1./", "https://0/", "https://0.0.0.0/"),
    *("https://[::1]/", "https://[::]/", "https://[::1]:8443/", "https://[::ffff:127.0.0.1]/"),
    *("https://[::ffff:7f00:1]/", "https://[::127.0.0.1]/", "https://[64:ff9b::7f00:1]/"),
    *("https://[64:ff9b:1::1]/", "https://[2002:7f00:1::]/", "https://[fe80::1%25lo]/"),
    *("https://[fec0::1]/", "https://[fc00::1]/", "https://[ff02::1]/", "https://[2001:db8::1]/"),
    *("https://10.0.0.1/", "https://172.16.0.1/", "https://192.168.1.1/", "https://100.64.0.1/"),
    *("https://169.254.169.254/latest/meta-data/", "https://2852039166/", "https://192.0.0.8/"),
    *("https://192.0.2.1/", "https://192.88.99.1/", "https://198.18.0.1/", "https://198.51.100.1/"),
    *("https://203.0.113.1/", "https://224.0.0.1/", "https://255.255.255.255/"),
    *("https://[fd00:ec2::254]/", "https://168.63.129.16/", "https://8.8.8.8/"),
    *("https://\uff11\uff12\uff17.0.0.1/", "https://127\u30020\u30020\u30021/"),
    *("https://\u2460\u2461\u2466.0.0.1/", "https://%31%32%37.0.0.1/", "https://127.0.0.1%00/"),
)
"""The host is an address in some spelling."""

NAMES = (
    *(
        "https://localhost/",
        "https://LOCALHOST:8443/",
        "https://localhost./",
        "https://a.localhost/",
    ),
    *("https://printer.local/", "https://db.internal/", "https://metadata.google.internal/"),
    *("https://a.invalid/", "https://a.test/", "https://a.onion/", "https://intranet/"),
    *("https://1.0.0.127.in-addr.arpa/", "https://router.home.arpa/", "https:///", "https://./"),
    *("https://example..com/", "https://a_b.example.com/", "https://ex\u00e4mple.com/"),
    *("https://xn--a.com/", "https://ex\u200bample.com/", "https://exa%6dple.com/"),
)
"""The host is no name of the public DNS."""

TEXTS = (
    *("http://example.com/", "ftp://example.com/", "file:///etc/passwd", "gopher://example.com/"),
    *("//example.com/", "example.com", "https:example.com", "https:\\\\example.com/", "", " "),
    *("https://user@example.com/", "https://example.com@127.0.0.1/", "https://a.com:443@b.com/"),
    *("https://127.0.0.1@example.com/", "https://example.com\\@127.0.0.1/", "https://a.com#b"),
    *("https://example.com#@127.0.0.1/", "https://example.com/\n", " https://example.com/"),
    *("https://exam\tple.com/", "https://example.com/\x00", "https://example.com:80/"),
    *("https://example.com:22/", "https://example.com:8080/", "https://example.com:/"),
    *("https://example.com:0443/", "https://example.com:{port}/", "https://localhost:{port}/"),
    *(
        "http://localhost:{port}/",
        "http://127.0.0.1:{port}/",
        "https://127.0.0.1:{port}/",
        "https://[::1]:{port}/",
        "http://0.0.0.0:{port}/",
    ),
    *("http://127.1:{port}/", "http://2130706433:{port}/", "http://0x7f000001:{port}/"),
    *("http://[::ffff:127.0.0.1]:{port}/", "http://127.0.0.2:{port}/", "https://a.com/%zz"),
    *("http://127.0.0.1:{port}/", "https://127.0.0.1:{port}/", f"https://a.com/{'a' * 487}"),
)
"""What is read is no URL of ours."""

URLS = (*LITERALS, *NAMES, *TEXTS)

ADDRESSES = (
    *("127.77.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254"),
    *("0.0.0.0", "192.0.0.8", "192.0.2.1", "192.88.99.1", "198.18.0.1", "224.0.0.1"),  # noqa: S104 - nobody listens
    *("255.255.255.255", "168.63.129.16", "::1", "::", "::ffff:127.0.0.1", "64:ff9b::7f00:1"),
    *("2002:7f00:1::", "fc00::1", "fe80::1", "fec0::1", "ff02::1", "2001:db8::1", "3fff::1"),
)
"""What a name may not stand for."""
