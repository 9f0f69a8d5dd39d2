"""Basic (RFC 7617) and Digest (RFC 7616), the client's side, and the lines of an htdigest file."""

import base64
import hashlib
import os
import re

import policy
from server_files import SERVER_PASSWORDS

HASHES = {"MD5": hashlib.md5, "SHA-256": hashlib.sha256}


def basic_value(account: policy.Account) -> str:
    return "Basic " + base64.b64encode(f"{account.user}:{account.password}".encode()).decode()


def parse_parameters(value: str) -> dict[str, str]:
    """The parameters of one challenge, or of an answer, without quotes and escapes; names in lower case."""
    pairs = re.findall(r'([A-Za-z*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))', value.partition(" ")[2])
    return {name.lower(): re.sub(r"\\(.)", r"\1", quoted) or token for name, quoted, token in pairs}


def digest_response(
    algorithm: str, user: str, realm: str, password: str, method: str, uri: str, nonce: str, nc: str, cnonce: str
) -> str:
    """`response` with qop=auth (section 3.4.1)."""

    def digest(text: str) -> str:
        return HASHES[algorithm](text.encode()).hexdigest()

    ha1, ha2 = digest(f"{user}:{realm}:{password}"), digest(f"{method}:{uri}")
    return digest(f"{ha1}:{nonce}:{nc}:{cnonce}:auth:{ha2}")


def digest_value(account: policy.Account, challenge: str, method: str, uri: str) -> tuple[str, dict]:
    """The Authorization value for a Digest challenge, and the nonces that it was made with."""
    offered = parse_parameters(challenge)
    algorithm, realm, nonce = offered.get("algorithm", "MD5").upper(), offered["realm"], offered["nonce"]
    cnonce = base64.b64encode(os.urandom(12)).decode()
    response = digest_response(algorithm, account.user, realm, account.password, method, uri, nonce, "00000001", cnonce)
    quoted_realm = realm.replace("\\", "\\\\").replace('"', '\\"')
    parts = [
        f'username="{account.user}"',
        f'realm="{quoted_realm}"',
        f'nonce="{nonce}"',
        f'uri="{uri}"',
        f"algorithm={offered.get('algorithm', 'MD5')}",
        "qop=auth",
        "nc=00000001",
        f'cnonce="{cnonce}"',
        f'response="{response}"',
    ]
    if "opaque" in offered:
        parts.append(f'opaque="{offered["opaque"]}"')
    return "Digest " + ", ".join(parts), {"cnonce": cnonce, "nc": 1}


def htdigest_lines(realm: str, algorithm: str) -> list[str]:
    """`user:realm:HA1` for every user of the servers."""
    return [
        f"{user}:{realm}:{HASHES[algorithm](f'{user}:{realm}:{password}'.encode()).hexdigest()}"
        for user, password in SERVER_PASSWORDS.items()
    ]
