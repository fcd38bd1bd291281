"""Addresses that must never be connected to, and URLs that must be refused."""

ADDRESSES = {
    "0.0.0.0/8": ("0.0.0.0", "0.0.0.1", "0.255.255.255"),  # noqa: S104 - nobody listens
    "10.0.0.0/8": ("10.0.0.0", "10.1.2.3", "10.255.255.255"),
    "100.64.0.0/10": ("100.64.0.0", "100.100.100.200", "100.127.255.255"),
    "127.0.0.0/8": ("127.0.0.1", "127.0.1.1", "127.255.255.255"),
    "169.254.0.0/16": ("169.254.0.0", "169.254.169.254", "169.254.255.255"),
    "172.16.0.0/12": ("172.16.0.0", "172.20.10.1", "172.31.255.255"),
    "192.0.0.0/24": ("192.0.0.0", "192.0.0.8", "192.0.0.192", "192.0.0.255"),
    "192.0.2.0/24": ("192.0.2.0", "192.0.2.255"),
    "192.88.99.0/24": ("192.88.99.0", "192.88.99.1", "192.88.99.255"),
    "192.168.0.0/16": ("192.168.0.0", "192.168.1.1", "192.168.255.255"),
    "198.18.0.0/15": ("198.18.0.0", "198.19.255.255"),
    "198.51.100.0/24": ("198.51.100.0", "198.51.100.255"),
    "203.0.113.0/24": ("203.0.113.0", "203.0.113.255"),
    "224.0.0.0/4": ("224.0.0.1", "239.255.255.250", "239.255.255.255"),
    "240.0.0.0/4": ("240.0.0.0", "255.255.255.254", "255.255.255.255"),
    "168.63.129.16/32": ("168.63.129.16",),
    "::/128": ("::",),
    "::1/128": ("::1",),
    "::/96": ("::127.0.0.1", "::8.8.8.8", "::ffff:ffff"),
    "::ffff:0:0/96": ("::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:8.8.8.8"),
    "::ffff:0:0:0/96": ("::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8"),
    "64:ff9b::/96": ("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b::808:808"),
    "64:ff9b:1::/48": ("64:ff9b:1::1", "64:ff9b:1:ffff::7f00:1"),
    "100::/64": ("100::", "100::1", "100:0:0:0:ffff:ffff:ffff:ffff"),
    "2001::/23": ("2001::", "2001:0:7f00:1::", "2001:2::1", "2001:20::1", "2001:1ff:ffff::1"),
    "2001:db8::/32": ("2001:db8::", "2001:db8:ffff::1"),
    "2002::/16": ("2002:7f00:1::", "2002:a9fe:a9fe::1", "2002:808:808::1"),
    "3fff::/20": ("3fff::", "3fff:fff:ffff::1"),
    "5f00::/16": ("5f00::", "5f00:ffff::1"),
    "fc00::/7": ("fc00::", "fd00:ec2::254", "fdff:ffff::1"),
    "fe80::/10": ("fe80::1", "febf:ffff::1", "fe80::1%lo"),
    "fec0::/10": ("fec0::1", "feff:ffff::1"),
    "ff00::/8": ("ff00::", "ff02::1", "ff0e::1", "ffff:ffff::1"),
    "not given out": ("200::1", "1000::1", "4000::1", "8000::1", "e000::1"),
}
"""By the network they are of."""

PUBLIC = (
    *("1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0"),
    *("126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255"),
    *("172.32.0.0", "192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255"),
    *("192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0"),
    *("203.0.112.255", "203.0.114.0", "223.255.255.255", "168.63.129.15", "168.63.129.17"),
    *("2000::1", "2001:200::1", "2001:4860:4860::8888", "2001:db7::1", "2001:db9::1"),
    *("2003::1", "2606:4700:4700::1111", "3ffe:ffff::1", "2a00:1450:4001::1"),
)

LITERALS = (
    *("127.0.0.1", "0.0.0.0", "8.8.8.8", "255.255.255.255", "169.254.169.254"),  # noqa: S104 - the same
    *("2130706433", "2852039166", "0", "4294967295", "134744072"),
    *("0x7f000001", "0X7F000001", "0x7f.1", "0x7f.0x0.0x0.0x1", "0xa9fea9fe", "0x", "1.0x"),
    *("017700000001", "0177.0.0.1", "0177.0.0.01", "00000177.0.0.1", "0251.0376.0251.0376"),
    *("127.1", "127.0.1", "10.1", "1", "127.0.0.1.", "127.0.0.0x1", "0x7f.0.0.01"),
    *("127.0.0.256", "1.2.3.4.5", "999.999.999.999", "a.1", "example.com.1", "example.0x7f"),
    *("[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[fe80::1%25eth0]", "[fe80::1%lo]"),
    *("[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[v1.1]", "[127.0.0.1]", "::1", "[::1", "::1]"),
    *("\uff11\uff12\uff17.\uff10.\uff10.\uff11", "\u2460\u2461\u2466.\u24ea.\u24ea.\u2460"),
    *("\u0661\u0662\u0667.0.0.1", "127\u30020\u30020\u30021", "127\uff0e0\uff0e0\uff0e1"),
    *("%31%32%37.0.0.1", "127%2e0%2e0%2e1", "127.0.0.1%00", "127.0.0.1%20"),
)
"""Hosts that are addresses, in any spelling of which some reader makes one."""

NAMES = (
    *("localhost", "LOCALHOST", "localhost.", "a.localhost", "a.LocalHost", "localhost.localhost"),
    *("printer.local", "db.internal", "metadata.google.internal", "a.invalid", "a.test"),
    *("a.onion", "1.0.0.127.in-addr.arpa", "router.home.arpa", "intranet", "com", ""),
    *(".", "..", ".com", "example..com", ".example.com", "example.com.", "example.com.."),
    *("-a.example.com", "a-.example.com", "a_b.example.com", "*.example.com", "a b.example.com"),
    *(f"{'a' * 64}.example.com", f"{'a.' * 126}com", "example.c", "example.c-", "example.-com"),
    *(
        "ex\u00e4mple.com",
        "\u24d4xample.com",
        "ex\u200bample.com",
        "example\u3002com",
        "exampl\u0435.com",
    ),
    *(
        "xn--.com",
        "xn--a.com",
        "xn--127-.com",
        "xn---bbk.com",
        "xn--ex-ample.com",
        "xn--\u00e4.com",
    ),
    *("ab--cd.com", "xn--80ak6aa92e-.com", "xn--a-ecp.ru", "a.xn--", "a.xn--a", "xn--0.0.0.1"),
    *("exa%6dple.com", "example.com%00.attacker.com", "example.com%2f", "%65xample.com"),
    *("example.com\\.attacker.com", "example.com;attacker.com", "example,com", "exam!ple.com"),
)
"""Hosts that are no name of the public DNS, or not the one spelling of it."""

TEXTS = (
    *("", " ", "https", "https:", "https:/", "https://", "https:///a.example.com/"),
    *("http://example.com/", "HTTP://example.com/", "ftp://example.com/", "file:///etc/passwd"),
    *("gopher://example.com/", "dict://example.com:11211/", "ws://example.com/", "data:,x"),
    *("//example.com/", "example.com", "/path", "https:example.com", "https:/example.com/"),
    *("https:\\\\example.com/", "https:/\\example.com/", "https://example.com\\@127.0.0.1/"),
    *(
        "https//example.com/",
        "httpss://example.com/",
        "https+unix://example.com/",
        "https ://a.com",
    ),
    *(
        " https://example.com/",
        "https://example.com/ ",
        "https://example.com/\n",
        "\nhttps://a.com/",
    ),
    *("https://exam\tple.com/", "https://example.com\r\nHost: a/", "https://example.com/\x00"),
    *("https://example.com/\x7f", "https://example.com/\u2028", "https://example.com/\u00e4"),
    *("https://user@example.com/", "https://user:pass@example.com/", "https://@example.com/"),
    *("https://:@example.com/", "https://example.com@127.0.0.1/", "https://a.com:443@b.com/"),
    *(
        "https://127.0.0.1@example.com/",
        "https://example.com%40127.0.0.1/",
        "https://a.com&@b.com/",
    ),
    *("https://example.com#", "https://example.com/#", "https://example.com/#a"),
    *("https://example.com#@127.0.0.1/", "https://127.0.0.1#@example.com/", "https://a.com?#b"),
    *("https://example.com:80/", "https://example.com:22/", "https://example.com:8080/"),
    *("https://example.com:/", "https://example.com:0/", "https://example.com:65536/"),
    *("https://example.com:0443/", "https://example.com:443443/", "https://example.com:-443/"),
    *("https://example.com:+443/", "https://example.com:443:443/", "https://example.com: 443/"),
    *(
        "https://example.com:\uff14\uff14\uff13/",
        "https://example.com:4_43/",
        "https://example.com:x/",
    ),
    *(
        "https://example.com/%",
        "https://example.com/%4",
        "https://example.com/%zz",
        "https://a.com/\\",
    ),
    *('https://example.com/"', "https://example.com/<a>", "https://example.com/{a}"),
    *(
        "https://example.com/|",
        "https://example.com/^",
        "https://example.com/`",
        "https://a.com/[a]",
    ),
    "https://example.com/" + "a" * 481,
)
"""Texts that are no URL of ours, whatever their host."""

URLS = (
    *(f"https://{host}/" for host in (*LITERALS, *NAMES)),
    *(f"https://{host}:8443/a" for host in LITERALS),
    *TEXTS,
)
