"""Every recorded answer, computed again from the secrets and the nonces in the recording."""

import base64
import hashlib
import hmac
import struct
from pathlib import Path

from spnego._ntlm_raw.crypto import ntowfv1, ntowfv2, rc4k
from spnego._ntlm_raw.messages import Authenticate, Challenge

import passwords
import policy
from ntlm import end_point_binding

_FLAGS, _TIMESTAMP, _TARGET_NAME, _CHANNEL_BINDINGS = 6, 7, 9, 10
_ACCOUNTS = {account.name: account for account in policy.ACCOUNTS}


# The file of each account's secret; another one after the user has typed a new password.
_secrets = {account.name: account.name for account in policy.ACCOUNTS}


def change_password(account: str, secret: str) -> None:
    """From here on the account has another secret."""
    _secrets[account] = secret


def check_answer(event: dict, negotiate: str | None, folder: Path, pool) -> tuple[str, str | None]:
    """The scheme of an event's answer, and what is wrong with it, if anything.

    `negotiate` is the answer before this one, when it was an NTLM NEGOTIATE.
    """
    answer = event["answer"]
    account = _ACCOUNTS[answer["account"]]
    password = (folder / "secrets" / _secrets[account.name]).read_text(encoding="utf-8").removesuffix("\n")
    scheme = answer["value"].split()[0]
    if scheme == "Basic":
        pair = base64.b64decode(answer["value"].split()[1]).decode()
        return scheme, None if pair == f"{account.user}:{password}" else "another user or password"
    if scheme == "Digest":
        return scheme, _check_digest(event, account, password)
    message = base64.b64decode(answer["value"].split()[1])
    if message[8] == 1:
        return "NTLM NEGOTIATE", None
    return "NTLM AUTHENTICATE", _check_authenticate(event, message, negotiate, account, password, pool)


def _check_digest(event: dict, account: policy.Account, password: str) -> str | None:
    sent, nonces = passwords.parse_parameters(event["answer"]["value"]), event["answer"]["nonces"]
    offers = [
        passwords.parse_parameters(value)
        for name, value in event["fields"]
        if name.lower().endswith("-authenticate") and value.startswith("Digest")
    ]
    if not any((o["nonce"], o["realm"]) == (sent["nonce"], sent["realm"]) for o in offers):
        return "the answer is to another challenge"
    if sent["cnonce"] != nonces["cnonce"] or int(sent["nc"], 16) != nonces["nc"] or sent["uri"] != event["target"]:
        return "cnonce, nc or uri are not those of the event"
    response = passwords.digest_response(
        sent["algorithm"],
        account.user,
        sent["realm"],
        password,
        event["method"],
        event["target"],
        sent["nonce"],
        sent["nc"],
        sent["cnonce"],
    )
    return None if response == sent["response"] else "another response"


def _check_authenticate(event, message, negotiate, account, password, pool) -> str | None:
    """NTProofStr, session key, MIC, SPN and channel bindings (MS-NLMP 3.3.2, 3.1.5.1.2)."""
    offered = next(v for n, v in event["fields"] if n.lower().endswith("-authenticate") and v.startswith("NTLM T"))
    raw_challenge = base64.b64decode(offered.split()[1])
    challenge, sent, nonces = Challenge.unpack(raw_challenge), Authenticate.unpack(message), event["answer"]["nonces"]
    if (sent.user_name, sent.domain_name or None) != (account.user, account.domain):
        return f"sent as {sent.domain_name}\\{sent.user_name}"
    key = ntowfv2(account.user, ntowfv1(password), account.domain)
    proof, blob = sent.nt_challenge_response[:16], sent.nt_challenge_response[16:]
    if hmac.digest(key, challenge.server_challenge + blob, "md5") != proof:
        return "another NTProofStr"
    if blob[16:24].hex() != nonces["clientChallenge"]:
        return "another client challenge"
    if str(struct.unpack_from("<Q", blob, 8)[0]) != nonces["timestamp"]:
        return "another time"
    session_key = hmac.digest(key, proof, "md5")
    if nonces["exportedSessionKey"]:
        session_key = rc4k(session_key, sent.encrypted_random_session_key)
        if session_key.hex() != nonces["exportedSessionKey"]:
            return "another session key"
    pairs = _pairs(blob[28:])
    if _TIMESTAMP in pairs:
        if pairs[_FLAGS] != b"\x02\x00\x00\x00" or not negotiate:
            return "no MIC, although the server sent a time"
        without = bytearray(message)
        without[72:88] = bytes(16)
        first = base64.b64decode(negotiate.split()[1])
        if hmac.digest(session_key, first + raw_challenge + bytes(without), "md5") != message[72:88]:
            return "another MIC"
    party = policy.split_origin(event["via"] or event["origin"])[1]
    if pairs.get(_TARGET_NAME, b"").decode("utf-16-le") != f"HTTP/{party}":
        return "another SPN"
    return _check_bindings(event, pairs, pool)


def _check_bindings(event: dict, pairs: dict[int, bytes], pool) -> str | None:
    if not event["chain"]:
        return "bound, without TLS" if _CHANNEL_BINDINGS in pairs else None
    data = end_point_binding(pool[event["chain"][0]])
    # gss_channel_bindings_struct: four empty address fields, then the application data with its length.
    digest = hashlib.md5(bytes(16) + struct.pack("<I", len(data)) + data).digest()
    return None if pairs.get(_CHANNEL_BINDINGS) == digest else "other channel bindings"


def _pairs(data: bytes) -> dict[int, bytes]:
    """AV pairs up to MsvAvEOL."""
    found, at = {}, 0
    while (head := struct.unpack_from("<HH", data, at))[0] != 0:
        found[head[0]] = data[at + 4 : at + 4 + head[1]]
        at += 4 + head[1]
    return found
