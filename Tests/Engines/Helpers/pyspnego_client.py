"""Runs pyspnego as an NTLM client over seeded cases; one JSON object a line. Argument: how many cases."""

import json
import os
import random
import struct
import sys

import spnego._ntlm as ntlm
from spnego._ntlm_raw.messages import AvFlags, AvId, Challenge, FileTime, NegotiateFlags, SingleHost, TargetInfo, Version
from spnego.channel_bindings import GssChannelBindings

# Letters on which the full upper-casing of Python and the simple one of Windows agree.
LETTERS = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789.-_ äöüéñżłøåčžÅжцёЯЖαβλδ山田日本한\U0001F600"
ANY = LETTERS + "ßŉﬁıſς\U00010428$%&/()=?"

ALWAYS = (
    NegotiateFlags.unicode
    | NegotiateFlags.request_target
    | NegotiateFlags.ntlm
    | NegotiateFlags.always_sign
    | NegotiateFlags.extended_session_security
    | NegotiateFlags.target_info
    | NegotiateFlags.key_128
)
SOMETIMES = [
    NegotiateFlags.sign,
    NegotiateFlags.seal,
    NegotiateFlags.key_exch,
    NegotiateFlags.key_56,
    NegotiateFlags.target_type_domain,
    NegotiateFlags.target_type_server,
]


def text(rng, alphabet, shortest, longest):
    return "".join(rng.choice(alphabet) for _ in range(rng.randint(shortest, longest)))


def target_info(rng, now):
    pairs = [(i, text(rng, LETTERS, 0, 24)) for i in (AvId.nb_domain_name, AvId.nb_computer_name, AvId.dns_domain_name)]
    if rng.random() < 0.7:
        skew = rng.randint(-35 * 3600, 35 * 3600) * 10**7
        pairs.append((AvId.timestamp, FileTime.unpack(struct.pack("<Q", now + skew))))
    if rng.random() < 0.3:
        pairs.append((AvId.flags, AvFlags(rng.choice([0, 1]))))
    if rng.random() < 0.2:
        pairs.append((AvId.single_host, SingleHost(size=48, custom_data=rng.randbytes(8), machine_id=rng.randbytes(32))))
    if rng.random() < 0.2:
        pairs.append((AvId(0x20), rng.randbytes(rng.randint(0, 9))))
    rng.shuffle(pairs)
    info = TargetInfo()
    for key, value in pairs:
        info[key] = value
    return info


def run(seed):
    rng = random.Random(seed)
    user = text(rng, LETTERS, 1, 20)
    form = rng.choice(["domain", "realm", "bare"])
    name = {"domain": text(rng, LETTERS, 0, 15) + "\\" + user, "realm": user + "@" + text(rng, LETTERS, 1, 15), "bare": user}[form]
    flags = ALWAYS
    for flag in SOMETIMES:
        if rng.random() < 0.5:
            flags |= flag
    if "@" not in name and name.split("\\")[0] in ("", name):
        flags &= ~NegotiateFlags.target_type_domain
    now = 133_500_000_000_000_000 + rng.randint(0, 10**15)
    challenge = Challenge(
        flags,
        rng.randbytes(8),
        target_name=text(rng, LETTERS, 0, 12),
        target_info=target_info(rng, now),
        version=Version(10, 0, 17763) if rng.random() < 0.5 else None,
    ).pack()
    client_challenge, session_key = rng.randbytes(8), rng.randbytes(16)
    os.urandom = lambda count: {8: client_challenge, 16: session_key}[count]
    ntlm.FileTime.now = staticmethod(lambda tz=None: FileTime.unpack(struct.pack("<Q", now)))
    data = b"tls-server-end-point:" + rng.randbytes(rng.choice([32, 48, 64])) if rng.random() < 0.5 else None
    password = text(rng, ANY, 0, 40)
    context = ntlm.NTLMProxy(
        name,
        password,
        hostname=text(rng, LETTERS, 1, 20),
        service="http",
        channel_bindings=GssChannelBindings(application_data=data) if data else None,
        usage="initiate",
        protocol="ntlm",
    )
    negotiate = context.step()
    authenticate = context.step(challenge)
    return {
        "name": name,
        "password": password,
        "targetName": context.spn,
        "applicationData": data.hex() if data else None,
        "now": now,
        "clientChallenge": client_challenge.hex(),
        "exportedSessionKey": session_key.hex(),
        "negotiate": negotiate.hex(),
        "challenge": challenge.hex(),
        "authenticate": authenticate.hex(),
        "sessionKey": context.session_key.hex(),
    }


for number in range(1, int(sys.argv[1]) + 1):
    print(json.dumps({"seed": number, **run(number)}))
