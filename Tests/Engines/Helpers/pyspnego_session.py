"""Runs pyspnego's session security over seeded cases; one JSON object a line. Argument: how many cases."""

import json
import random
import sys

from spnego._ntlm_raw.crypto import rc4init, sealkey, signkey
from spnego._ntlm_raw.messages import NegotiateFlags
from spnego._ntlm_raw.security import seal, sign


def run(seed):
    rng = random.Random(seed)
    flags = NegotiateFlags.extended_session_security | NegotiateFlags.sign | NegotiateFlags.seal
    flags |= rng.choice([NegotiateFlags.key_128, NegotiateFlags.key_56, NegotiateFlags.key_128 | NegotiateFlags.key_56])
    if rng.random() < 0.6:
        flags |= NegotiateFlags.key_exch
    key = rng.randbytes(16)
    directions = {}
    for usage in ("initiate", "accept"):
        handle = rc4init(sealkey(flags, key, usage))
        signing = signkey(flags, key, usage)
        messages = []
        for number in range(6):
            data = rng.randbytes(rng.randint(0, 90))
            if rng.random() < 0.5:
                encrypted, signature = seal(flags, handle, signing, number, data)
                messages.append({"sealed": True, "data": data.hex(), "token": (signature + encrypted).hex()})
            else:
                messages.append({"sealed": False, "data": data.hex(), "token": sign(flags, handle, signing, number, data).hex()})
        directions[usage] = messages
    return {"flags": int(flags), "key": key.hex(), **directions}


for number in range(1, int(sys.argv[1]) + 1):
    print(json.dumps({"seed": number, **run(number)}))
