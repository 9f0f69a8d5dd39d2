"""pyspnego and impacket over many cases. Without an argument: the NEGOTIATE of each, in one JSON object.

With a file of cases, one JSON object a line, answers one object a line. "read" takes an AUTHENTICATE apart and computes
everything in it anew from the password; "write" makes one.
"""

import json
import os
import random
import struct
import sys

import impacket.ntlm as impacket
import spnego._ntlm as pyspnego
from spnego._ntlm_raw import crypto
from spnego._ntlm_raw.messages import Authenticate, Challenge, FileTime

# Where Python's full upper-casing and Windows' simple one (MS-UCODEREF 3.1.5.3) part, and what Windows makes of it.
WINDOWS = {c: c for c in "ßŉǰΐΰևẖﬁﬂıſςµǅაɥ\U00010428\U0001E922"} | {"ᾀ": "ᾈ", "ᾳ": "ᾼ", "ῃ": "ῌ"}

# impacket adds a clock of its own to target information without one, which MS-NLMP 3.1.5.1.2 does not provide for; with
# this switch it leaves the information as it is, and says that it is the year 1601.
impacket.TEST_CASE = True


class Name(str):
    """A user name that is upper-cased as Windows does it, on every platform."""

    def upper(self):
        return "".join(WINDOWS.get(c, c.upper()) for c in self)


full_ntowfv2 = crypto.ntowfv2
pyspnego.ntowfv2 = lambda user, nt_hash, domain: full_ntowfv2(Name(user), nt_hash, domain)
NOW = 133_500_000_000_000_000
pyspnego.FileTime.now = staticmethod(lambda tz=None: FileTime.unpack(struct.pack("<Q", NOW)))


def pyspnego_context(case):
    return pyspnego.NTLMProxy(
        case["domain"] + "\\" + case["user"], case["password"], hostname="wiki.acme.example", service="http",
        usage="initiate", protocol="ntlm",
    )


def read_fields(case, authenticate):
    if case["peer"] == "pyspnego":
        message = Authenticate.unpack(authenticate)
        return message.user_name, message.domain_name, message.nt_challenge_response, message.encrypted_random_session_key
    message = impacket.NTLMAuthChallengeResponse()
    message.fromString(authenticate)
    text = [message[name].decode("utf-16-le") for name in ("user_name", "domain_name")]
    # This one field impacket takes from where it would have put it itself, instead of where the message says.
    start, length = message["session_key_offset"], message["session_key_len"]
    return text[0], text[1], message["ntlm"], authenticate[start : start + length]


def keys(case, user, domain, nonce, response):
    password = case["password"]
    if case["peer"] == "pyspnego":
        nt_hash = crypto.ntowfv1(password)
        key = full_ntowfv2(user, nt_hash, domain)
        proof = crypto.hmac_md5(key, nonce + response[16:])
        return nt_hash, key, proof, crypto.hmac_md5(key, proof)
    nt_hash = impacket.compute_nthash(password)
    key = impacket.NTOWFv2(user, password, domain)
    proof = impacket.hmac_md5(key, nonce + response[16:])
    return nt_hash, key, proof, impacket.hmac_md5(key, proof)


def read(case):
    authenticate = bytes.fromhex(case["authenticate"])
    negotiate, challenge = bytes.fromhex(case["negotiate"]), bytes.fromhex(case["challenge"])
    user, domain, response, encrypted = read_fields(case, authenticate)
    assert (user, domain) == (case["user"], case["domain"])
    nt_hash, key, proof, base = keys(case, Name(user), domain, challenge[24:32], response)
    code = crypto.hmac_md5 if case["peer"] == "pyspnego" else impacket.hmac_md5
    exported = crypto.rc4k(base, encrypted) if case["peer"] == "pyspnego" else impacket.generateEncryptedSessionKey(base, encrypted)
    zeroed = authenticate[:72] + bytes(16) + authenticate[88:]
    return {
        "ntHash": nt_hash.hex(),
        "ntowfV2": key.hex(),
        "fullUppercaseNTOWFv2": keys(case, user, domain, bytes(8), response)[1].hex(),
        "ntProofStr": proof.hex(),
        "sessionBaseKey": base.hex(),
        "exportedSessionKey": exported.hex(),
        "mic": code(exported, negotiate + challenge + zeroed).hex(),
    }


def write(case):
    challenge = bytes.fromhex(case["challenge"])
    if case["peer"] == "pyspnego":
        context = pyspnego_context(case)
        context.step()
        return {"authenticate": context.step(challenge).hex(), "exportedSessionKey": context.session_key.hex()}
    random.seed(case["number"])
    type1 = impacket.getNTLMSSPType1(signingRequired=True)
    type3, key = impacket.getNTLMSSPType3(type1, challenge, Name(case["user"]), case["password"], case["domain"])
    return {"authenticate": type3.getData().hex(), "exportedSessionKey": key.hex()}


if len(sys.argv) == 1:
    case = {"domain": "D", "user": "u", "password": "p"}
    print(json.dumps({
        "pyspnego": pyspnego_context(case).step().hex(),
        "impacket": impacket.getNTLMSSPType1(signingRequired=True).getData().hex(),
        "diverging": sorted(WINDOWS),
    }))
else:
    with open(sys.argv[1], encoding="utf-8") as cases:
        for line in cases:
            case = json.loads(line)
            print(json.dumps({"read": read, "write": write}[case["task"]](case)))
