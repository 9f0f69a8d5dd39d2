"""One side of a Kerberos log-on by MIT's library through python3-gssapi, for the tests; the other side is at standard input and output.

    gssapi_peer.py initiate|accept [--host HOST] [--bindings TEXT]

Lines are `token BASE64`, `code BASE64` with the integrity code of a message that both sides know, and at the end `done NAME`.
"""
import base64
import sys

import gssapi
from gssapi.raw import ChannelBindings

MESSAGE = b"what was negotiated"


def option(name, usual=None):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else usual


def send(word, data):
    print(word, base64.b64encode(data).decode(), flush=True)


def receive(word):
    found, data = sys.stdin.readline().split()
    assert found == word, found
    return base64.b64decode(data)


bindings = option("--bindings")
channel = ChannelBindings(application_data=bindings.encode()) if bindings else None
kerberos = gssapi.MechType.kerberos
try:
    if sys.argv[1] == "initiate":
        name = gssapi.Name("HTTP@" + option("--host", "localhost"), gssapi.NameType.hostbased_service)
        wanted = gssapi.RequirementFlag.mutual_authentication | gssapi.RequirementFlag.integrity
        context = gssapi.SecurityContext(
            name=name, usage="initiate", mech=kerberos, flags=wanted, channel_bindings=channel
        )
        send("token", context.step())
        while not context.complete:
            context.step(receive("token"))
        peer = str(context.target_name)
    else:
        credential = gssapi.Credentials(usage="accept", mechs=[kerberos])
        context = gssapi.SecurityContext(creds=credential, usage="accept", channel_bindings=channel)
        send("token", context.step(receive("token")) or b"")
        if not context.complete:
            # The library reports an error with the next call, after the token that tells the client.
            context.step(b"")
        peer = str(context.initiator_name)
    send("code", context.get_signature(MESSAGE))
    context.verify_signature(MESSAGE, receive("code"))
    print("done", peer, flush=True)
except gssapi.exceptions.GSSError as error:
    print("error", str(error).replace("\n", " "), flush=True)
