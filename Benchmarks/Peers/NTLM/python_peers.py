"""Measures pyspnego or impacket with the log-in of the environment; one line for every round.

Arguments: which of the two, and how many rounds.
"""

import base64
import importlib.metadata
import os
import platform
import sys
import time

USER, DOMAIN, PASSWORD = (os.environ[f"NTLM_{name}"] for name in ("USER", "DOMAIN", "PASSWORD"))
SERVICE, HOST = os.environ["NTLM_SERVICE"].split("/")
CHALLENGE = bytes.fromhex(os.environ["NTLM_CHALLENGE"])
BINDING = b"tls-server-end-point:" + bytes.fromhex(os.environ["NTLM_CERTIFICATE_HASH"])
COUNT = 50


def measure(who, operation, body, prepare=lambda: None, count=COUNT):
    # The first round warms up.
    for round_number in range(int(sys.argv[2]) + 1):
        prepared = [prepare() for _ in range(count)]
        start = time.process_time_ns()
        for item in prepared:
            body(item)
        spent = time.process_time_ns() - start
        if round_number:
            print(f"time\t{who}\t{operation}\t{spent / count}")


def about(who, text):
    print(f"about\t{who}\tPyPI's {importlib.metadata.version(who)}, CPython {platform.python_version()}; {text}")


def pyspnego():
    from spnego._ntlm import NTLMProxy
    from spnego._ntlm_raw.crypto import compute_response_v2, ntowfv1
    from spnego._ntlm_raw.messages import AvId, FileTime, TargetInfo
    from spnego.channel_bindings import GssChannelBindings

    about("pyspnego", "all that ours does; the proof with an LM response besides; verify without channel binding, and with a file of users")

    def client():
        bindings = GssChannelBindings(application_data=BINDING)
        return NTLMProxy(f"{DOMAIN}\\{USER}", PASSWORD, hostname=HOST, service=SERVICE, channel_bindings=bindings)

    def started():
        context = client()
        context.step()
        return context

    def asked():
        initiator, acceptor = client(), NTLMProxy(usage="accept")
        return acceptor, initiator.step(acceptor.step(initiator.step()))

    info = TargetInfo()
    # With 40 bytes of head and end, 200 lie under the proof.
    info[AvId.dns_domain_name] = "d" * 76
    now = FileTime.now()
    measure("pyspnego", "nt-hash", lambda _: ntowfv1(PASSWORD), count=1000)
    measure(
        "pyspnego",
        "proof-and-key/blob=200",
        lambda _: compute_response_v2(bytes(16), bytes(8), bytes(8), now, info),
        count=1000,
    )
    measure("pyspnego", "handshake-start", lambda _: started())
    measure("pyspnego", "authenticate", lambda context: base64.b64encode(context.step(CHALLENGE)), prepare=started)
    measure("pyspnego", "verify", lambda pair: pair[0].step(pair[1]), prepare=asked)


def impacket():
    from impacket import ntlm

    about("impacket", "AUTHENTICATE from the NT hash, without an integrity code")
    digest = ntlm.compute_nthash(PASSWORD)

    def start():
        return ntlm.getNTLMSSPType1(signingRequired=True)

    def answer(negotiate):
        message, _ = ntlm.getNTLMSSPType3(
            negotiate, CHALLENGE, USER, "", DOMAIN, nthash=digest, service=SERVICE, channel_binding_value=bytes(16)
        )
        return base64.b64encode(message.getData())

    measure("impacket", "nt-hash", lambda _: ntlm.compute_nthash(PASSWORD), count=1000)
    measure("impacket", "handshake-start", lambda _: start())
    measure("impacket", "authenticate", answer, prepare=start)


{"pyspnego": pyspnego, "impacket": impacket}[sys.argv[1]]()
