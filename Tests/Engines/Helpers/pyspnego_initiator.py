"""Runs pyspnego as an NTLM client over the cases in a file, one JSON object a line; answers one object a line.

A case without "challenge" is answered with the NEGOTIATE; the same case with it, with the AUTHENTICATE, the session key
and one sealed message.
"""

import json
import os
import random
import struct
import sys

import spnego._ntlm as ntlm
from spnego._ntlm_raw.messages import FileTime
from spnego.channel_bindings import GssChannelBindings


def run(case):
    rng = random.Random(case["seed"])
    os.urandom = rng.randbytes
    ntlm.FileTime.now = staticmethod(lambda tz=None: FileTime.unpack(struct.pack("<Q", case["now"])))
    data = case.get("applicationData")
    context = ntlm.NTLMProxy(
        case["name"],
        case["password"],
        hostname="wiki.acme.example",
        service="http",
        channel_bindings=GssChannelBindings(application_data=bytes.fromhex(data)) if data else None,
        usage="initiate",
        protocol="ntlm",
    )
    negotiate = context.step()
    if not case.get("challenge"):
        return {"negotiate": negotiate.hex()}
    authenticate = context.step(bytes.fromhex(case["challenge"]))
    return {
        "authenticate": authenticate.hex(),
        "sessionKey": context.session_key.hex(),
        "sealed": context.wrap(b"over the wire").data.hex(),
    }


with open(sys.argv[1], encoding="utf-8") as cases:
    for line in cases:
        print(json.dumps(run(json.loads(line))))
