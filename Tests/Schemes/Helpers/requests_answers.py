"""Digest answers that the PyPI package requests gives; one JSON object a line for each seed.

    requests_answers.py COUNT
"""
import json
import random
import sys

from requests.auth import HTTPDigestAuth

for seed in range(1, int(sys.argv[1]) + 1):
    chance = random.Random(seed)
    algorithm = chance.choice(["MD5", "SHA-256", "MD5-SESS"])
    method, target = chance.choice(["GET", "POST"]), "/" + chance.randbytes(5).hex()
    user, password = chance.choice(["jdoe", "J\u00e4s\u00f8n Doe"]), chance.choice(["Correct-Horse", "p\u00e4ss"])
    parameters = {
        "realm": "Acme " + chance.randbytes(3).hex(), "nonce": chance.randbytes(16).hex(), "algorithm": algorithm,
        "qop": "auth", "opaque": chance.randbytes(4).hex(),
    }
    client = HTTPDigestAuth(user, password)
    client.init_per_thread_state()
    client._thread_local.chal = parameters
    answer = client.build_digest_header(method, "http://wiki.example" + target)
    print(json.dumps({
        "seed": seed, "user": user, "password": password, "method": method, "target": target, "answer": answer,
        "challenge": "Digest " + ", ".join(f'{name}="{value}"' for name, value in parameters.items()),
    }))
