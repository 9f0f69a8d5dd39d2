"""Runs pyspnego as an NTLM server over the cases in a file, one JSON object a line; answers one object a line.

A case without "authenticate" is answered with the CHALLENGE; the same case with it, with the verdict. Both runs draw the
same nonce, which comes from the case's seed.
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
    path = sys.argv[1] + ".users"
    with open(path, "w", encoding="utf-8") as users:
        users.write("%s:%s:%s\n" % (case["domain"], case["user"], case["password"]))
    os.environ["NTLM_USER_FILE"] = path
    data = case.get("applicationData")
    context = ntlm.NTLMProxy(
        channel_bindings=GssChannelBindings(application_data=bytes.fromhex(data)) if data else None,
        usage="accept",
        protocol="ntlm",
    )
    challenge = context.step(bytes.fromhex(case["negotiate"]))
    if not case.get("authenticate"):
        return {"challenge": challenge.hex()}
    try:
        context.step(bytes.fromhex(case["authenticate"]))
        return {"complete": context.complete, "sessionKey": context.session_key.hex()}
    except Exception as error:
        return {"complete": False, "sessionKey": str(error)}


with open(sys.argv[1], encoding="utf-8") as cases:
    for line in cases:
        print(json.dumps(run(json.loads(line))))
