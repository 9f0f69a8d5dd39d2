"""Data of hostile.ndjson that a person wrote: confusing header fields and hosts that look like ours."""

_MALFORMED, _UNSUPPORTED = "malformed-challenge", "no-supported-scheme"


def _one(value: str) -> list[tuple[str, str]]:
    return [("WWW-Authenticate", value)]


# Reason for withholding, and the fields of the 401. Read by the grammar of RFC 9110 section 11.6.1, none of them
# holds a complete Basic challenge; a Digest challenge without nonce or realm is malformed (RFC 7616 section 3.3).
CONFUSING_FIELDS = (
    (_MALFORMED, _one('Digest realm="hello, Basic realm=evil"')),
    (_MALFORMED, _one('Digest realm="hello, Basic realm=\\"evil\\""')),
    (_MALFORMED, _one('Digest realm="hello\\", Basic realm=\\"evil"')),
    (_MALFORMED, _one('Digest realm="hello\\\\\\", Basic realm=\\\\\\"evil"')),
    (_MALFORMED, _one('Digest realm="hello, Basic realm=evil')),
    (_MALFORMED, _one('Digest realm="hello", nonce="abc, Basic realm="evil"')),
    (_MALFORMED, _one('Digest realm="hello", nonce="abc\\", Basic realm=\\"evil\\"')),
    (_MALFORMED, _one('Digest nonce="7f3a", qop="auth, Basic realm=evil"')),
    (_MALFORMED, _one("Digest realm=hello; nonce=abc; Basic realm=evil")),
    (_MALFORMED, _one('Digest realm=\\"hello, Basic realm=evil\\"')),
    (_MALFORMED, _one("Digest realm=“hello, Basic realm=evil”")),
    (_MALFORMED, _one('Digest realm="hello",,,Basicrealm="evil"')),
    (_MALFORMED, _one('Digest realm="a", realm="b, Basic realm=evil"')),
    (_MALFORMED, _one('Digest Basic realm="evil"')),
    (_MALFORMED, _one('Digest realm="hello" Basic realm="evil"')),
    (_MALFORMED, _one('Digest realm = "hello , Basic realm = evil"')),
    (_MALFORMED, _one("Digest")),
    (_MALFORMED, _one('Basic realm="evil" realm')),
    (_MALFORMED, _one("Basic realm")),
    (_MALFORMED, _one('Basic realm="evil')),
    (_MALFORMED, _one('Basic realm="evil\\"')),
    (_MALFORMED, _one('Basic: realm="evil"')),
    (_MALFORMED, _one('"Basic realm=evil"')),
    (_MALFORMED, _one('Basic realm="evil" charset="UTF-8"')),
    (_MALFORMED, _one('Basic charset="realm=evil')),
    (_MALFORMED, _one("Basic ZXZpbDpldmls")),
    (_MALFORMED, [("WWW-Authenticate", 'Digest realm="hello'), ("WWW-Authenticate", 'Basic realm=evil"')]),
    (_UNSUPPORTED, _one('Bearer realm="hello, Basic realm=evil"')),
    (_UNSUPPORTED, _one('Bearer error_description="try Basic realm=\\"evil\\", or nothing"')),
    (_UNSUPPORTED, _one('NewAuth realm="Basic", title="Log in to \\"apps\\", Basic realm=evil"')),
    (_UNSUPPORTED, _one('DigestBasic realm="evil"')),
    (_UNSUPPORTED, _one('Basic-Evil realm="hello", X-Basic realm="evil"')),
    (_UNSUPPORTED, _one('Negotiate, Bearer scope="Basic realm=evil"')),
    (_UNSUPPORTED, [("WWW-Authenticate", "Negotiate"), ("X-WWW-Authenticate", 'Basic realm="evil"')]),
    (_UNSUPPORTED, [("Proxy-Authenticate", 'Basic realm="evil"'), ("WWW-Authenticate", "Negotiate")]),
    (_UNSUPPORTED, [("WWW-Authenticate", "Bearer"), ("Authentication-Info", 'Basic realm="evil"')]),
)

# Origin and request target. The last ones are ours by name, but not by port, scheme, path or rule.
LOOKALIKES = tuple(
    (origin, "/login")
    for origin in (
        "https://evilacme.example",
        "https://wiki.evilacme.example",
        "https://wikiacme.example",
        "https://wiki-acme.example",
        "https://wiki.acme-example.example",
        "https://acme-example.example",
        "https://acme.example.evil.example",
        "https://wiki.acme.example.evil.example",
        "https://login.acme.example.evil.example",
        "https://acme.example.acme.evil.example",
        "https://wiki.acme.example.com",
        "https://wiki.acme.examples",
        "https://wiki.acme.exampl",
        "https://wiki.acme.test",
        "https://wiki.acmee.example",
        "https://wiki.acrne.example",
        "https://wiki.acme.evil.example",
        "https://wiki.xacme.example",
        "https://example",
        "https://acme",
        # A Cyrillic letter in the company's name.
        "https://wiki." + "acmе".encode("idna").decode() + ".example",
        "https://127.0.10.1",
        "https://[::1]",
        "https://acme.example",
        "https://wiki.acme.example:444",
        "https://wiki.acme.example:80",
        "https://wiki.acme.example:18443",
        "http://wiki.acme.example",
        "http://wiki.acme.example:443",
        "http://proxy.acme.example",
        "https://quarantine.acme.example",
        "https://QUARANTINE.acme.example",
    )
) + (
    ("https://files.acme.example", "/export/login"),
    ("https://files.acme.example", "/export?next=/login"),
)
