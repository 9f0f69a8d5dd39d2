"""Digest answers by the formulas of RFC 7616, with Python's hashlib; one JSON object a line for each seed.

    digest_oracle.py COUNT

A case is a challenge, an account, a request, the answer that is right, the proof that the server then owes, and further
requests: with the same nonce, then with the server's nextnonce.
"""
import hashlib
import json
import random
import sys

NAMES = {"MD5": "md5", "SHA-256": "sha256", "SHA-512-256": "sha512_256"}
TEXTS = ["Acme", "caf\u00e9", "a b", 'q"uo\\te', "\u0141\u00f3d\u017a", "x" * 130]
METHODS = ["GET", "POST", "PUT", "OPTIONS"]
TARGETS = ["/", "/a/b?c=d", '/q"', "http://wiki.example/x?y", "/" + "long/" * 60]


def digits(name, data):
    return hashlib.new(NAMES[name], data).hexdigest().encode()


def quoted(data):
    return b'"' + data.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'


class Account:
    def __init__(self, name, session, user, realm, password, nonce, cnonce):
        self.name = name
        self.secret = digits(name, b":".join([user, realm, password]))
        if session:
            self.secret = digits(name, b":".join([self.secret, nonce, cnonce]))

    def keyed(self, a2, nonce, count, cnonce, qop):
        parts = [self.secret, nonce]
        if qop:
            parts += [b"%08x" % count, cnonce, qop.encode()]
        return digits(self.name, b":".join([*parts, digits(self.name, a2)])).decode()

    def answer(self, method, target, body, *rest):
        return self.keyed(b":".join([method.encode(), target.encode(), *self.covered(body, rest[-1])]), *rest)

    def proof(self, target, body, *rest):
        return self.keyed(b":".join([b"", target.encode(), *self.covered(body, rest[-1])]), *rest)

    def covered(self, body, qop):
        return [digits(self.name, body)] if qop == "auth-int" else []


def case(seed):
    chance = random.Random(seed)
    name = chance.choice(list(NAMES))
    offered = chance.choice([None, "auth", "auth-int", "auth,auth-int", "auth-int , auth"])
    qop = None if offered is None else "auth" if offered != "auth-int" else "auth-int"
    session = qop is not None and chance.random() < 0.4
    encoding = chance.choice(["utf-8", "latin-1"])
    def text():
        return chance.choice([each for each in TEXTS if encoding == "utf-8" or each.isascii() or each == "caf\u00e9"])
    realm, opaque = text().encode(encoding), chance.choice([None, text().encode(encoding)])
    nonce, cnonce = chance.randbytes(chance.randint(1, 40)).hex().encode(), chance.randbytes(16).hex().encode()
    user, password = chance.choice(TEXTS), chance.choice(TEXTS)
    userhash = chance.random() < 0.3

    challenge = b"Digest realm=" + quoted(realm) + b", nonce=" + quoted(nonce)
    if session or name != "MD5" or chance.random() < 0.5:
        challenge += b", algorithm=" + name.encode() + (b"-sess" if session else b"")
    if offered:
        challenge += b', qop="' + offered.encode() + b'"'
    if opaque is not None:
        challenge += b", opaque=" + quoted(opaque)
    if userhash:
        challenge += b", userhash=true"

    account = Account(name, session, user.encode(), realm, password.encode(), nonce, cnonce)

    def request(nonce, count, cnonce):
        method, target = chance.choice(METHODS), chance.choice(TARGETS)
        body, answered = chance.randbytes(chance.randint(0, 300)), chance.randbytes(chance.randint(0, 300))
        rest = (nonce, count, cnonce, qop)
        return {
            "method": method, "target": target, "body": body.hex(), "answered": answered.hex(),
            "response": account.answer(method, target, body, *rest),
            "proof": account.proof(target, answered, *rest),
        }

    # A session algorithm stays bound to the first nonce and client nonce, and keeps the client nonce.
    next_nonce = chance.randbytes(12).hex().encode()
    next_cnonce = cnonce if session else chance.randbytes(16).hex().encode()
    return {
        "seed": seed, "challenge": challenge.hex(), "user": user, "password": password, "qop": qop,
        "clientNonce": cnonce.decode(),
        "userHash": digits(name, user.encode() + b":" + realm).decode() if userhash else None,
        "requests": [request(nonce, count, cnonce) for count in range(1, 5)],
        "nextNonce": next_nonce.decode(), "nextClientNonce": next_cnonce.decode(),
        "nextRequests": [request(next_nonce, count, next_cnonce) for count in range(1, 4)],
    }


for seed in range(1, int(sys.argv[1]) + 1):
    print(json.dumps(case(seed)))
