"""Plays SPNEGO with NTLM in it, client and server, and reads and writes its tokens, over lines of JSON.

Arguments: pyspnego or gssapi (MIT Kerberos with gss-ntlmssp) or impacket (tokens alone), then DOMAIN and USER:PASSWORD[,…].

    {"user", "domain", "password", "bindings"}   a client starts        {"token"}
    {"accept", "bindings"}                       a server starts        {"token"}
    {"token"}                                    either goes on         {"token", "complete", "user"}
    {"describe"}                                 reads a token          {"mechanisms", "inner", "state", "code"}
    {"mechanisms", "inner"}                      writes a first token   {"token"}
    {"state", "inner", "code"}                   writes a later token   {"token"}

Tokens are base64, what is inside of them and bindings are hexadecimal digits. What goes wrong is {"error"}.
"""

import base64
import json
import os
import sys
import tempfile

TARGET = "wiki.acme.example"


class Pyspnego:
    def __init__(self):
        import spnego
        import spnego.channel_bindings

        self.spnego = spnego

    def options(self, data):
        bindings = None
        if data is not None:
            bindings = self.spnego.channel_bindings.GssChannelBindings(application_data=data)
        return dict(
            protocol="negotiate", options=self.spnego.NegotiateOptions.use_negotiate, channel_bindings=bindings
        )

    def initiate(self, user, domain, password, data):
        name = domain + "\\" + user if domain else user
        self.context = self.spnego.client(name, password, hostname=TARGET, service="HTTP", **self.options(data))
        return self.context.step()

    def accept(self, token, data):
        self.context = self.spnego.server(**self.options(data))
        return self.context.step(token)

    def proceed(self, token):
        return self.context.step(token)

    def complete(self):
        return self.context.complete

    def user(self):
        return self.context.client_principal

    def describe(self, token):
        from spnego._spnego import NegTokenInit, unpack_token

        token = unpack_token(token)
        if isinstance(token, NegTokenInit):
            return dict(
                mechanisms=list(token.mech_types), inner=text(token.mech_token), state=None, code=text(token.mech_list_mic)
            )
        state = None if token.neg_state is None else int(token.neg_state)
        names = [token.supported_mech] if token.supported_mech else []
        return dict(mechanisms=names, inner=text(token.response_token), state=state, code=text(token.mech_list_mic))

    def write(self, request):
        from spnego._spnego import NegState, NegTokenInit, NegTokenResp

        if "mechanisms" in request:
            return NegTokenInit(mech_types=request["mechanisms"], mech_token=bytes.fromhex(request["inner"])).pack()
        return NegTokenResp(
            neg_state=NegState(request["state"]),
            response_token=bytes.fromhex(request["inner"]),
            mech_list_mic=bytes.fromhex(request["code"]),
        ).pack()


class GSSAPI:
    def __init__(self):
        import gssapi

        self.gssapi = gssapi
        self.mechanism = gssapi.OID.from_int_seq("1.3.6.1.5.5.2")

    def bindings(self, data):
        return self.gssapi.raw.ChannelBindings(application_data=data) if data is not None else None

    def initiate(self, user, domain, password, data):
        name = self.gssapi.Name(domain + "\\" + user if domain else user, self.gssapi.NameType.user)
        credentials = self.gssapi.raw.acquire_cred_with_password(
            name, password.encode(), mechs=[self.mechanism], usage="initiate"
        ).creds
        self.context = self.gssapi.SecurityContext(
            name=self.gssapi.Name("HTTP@" + TARGET, self.gssapi.NameType.hostbased_service),
            creds=self.gssapi.Credentials(credentials),
            mech=self.mechanism,
            usage="initiate",
            channel_bindings=self.bindings(data),
        )
        return self.context.step()

    def accept(self, token, data):
        self.context = self.gssapi.SecurityContext(
            creds=self.gssapi.Credentials(usage="accept"), usage="accept", channel_bindings=self.bindings(data)
        )
        return self.context.step(token)

    def proceed(self, token):
        return self.context.step(token)

    def complete(self):
        return self.context.complete

    def user(self):
        return str(self.context.initiator_name).rstrip("\0")


class Impacket:
    """Its NTLM in SPNEGO is part of its SMB; its tokens stand alone."""

    def describe(self, token):
        from impacket.spnego import SPNEGO_NegTokenInit, SPNEGO_NegTokenResp

        if token[0] == 0x60:
            read = SPNEGO_NegTokenInit(token)
            names = [dotted(each) for each in read["MechTypes"]]
            return dict(mechanisms=names, inner=text(read["MechToken"]), state=None, code=None)
        read = SPNEGO_NegTokenResp(token)
        return dict(mechanisms=[], inner=text(read["ResponseToken"]), state=read["NegState"][0], code=None)

    def write(self, request):
        from impacket.spnego import SPNEGO_NegTokenInit, SPNEGO_NegTokenResp

        if "mechanisms" in request:
            token = SPNEGO_NegTokenInit()
            token["MechTypes"] = [packed(each) for each in request["mechanisms"]]
            token["MechToken"] = bytes.fromhex(request["inner"])
        else:
            token = SPNEGO_NegTokenResp()
            token["ResponseToken"] = bytes.fromhex(request["inner"])
            # With both fields it has one more, the mechanism.
            token["NegState"] = bytes([request["state"]])
            token["SupportedMech"] = packed("1.3.6.1.4.1.311.2.2.10")
        return token.getData()


def packed(name):
    arcs = [int(each) for each in name.split(".")]
    result = b""
    for arc in [arcs[0] * 40 + arcs[1]] + arcs[2:]:
        groups = [arc % 128]
        while arc >= 128:
            arc //= 128
            groups.insert(0, arc % 128 + 128)
        result += bytes(groups)
    return result


def dotted(data):
    arcs, value = [], 0
    for byte in data:
        value = value * 128 + byte % 128
        if byte < 128:
            arcs.append(value)
            value = 0
    return ".".join(str(each) for each in [arcs[0] // 40, arcs[0] % 40] + arcs[1:])


def text(data):
    return data.hex() if data is not None else None


def answer(peer, request):
    data = bytes.fromhex(request["bindings"]) if request.get("bindings") else None
    if "describe" in request:
        return peer.describe(base64.b64decode(request["describe"]))
    if "inner" in request:
        return dict(token=base64.b64encode(peer.write(request)).decode())
    if "user" in request:
        token = peer.initiate(request["user"], request["domain"], request["password"], data)
    elif "accept" in request:
        token = peer.accept(base64.b64decode(request["accept"]), data)
    else:
        token = peer.proceed(base64.b64decode(request["token"]))
    reply = dict(complete=peer.complete())
    if token:
        reply["token"] = base64.b64encode(token).decode()
    if reply["complete"]:
        reply["user"] = peer.user()
    return reply


KINDS = {"pyspnego": Pyspnego, "gssapi": GSSAPI, "impacket": Impacket}
DOMAIN = sys.argv[2]
os.environ["NETBIOS_DOMAIN_NAME"], os.environ["NETBIOS_COMPUTER_NAME"] = DOMAIN, "WIKI"
USERS = tempfile.NamedTemporaryFile("w", encoding="utf-8")
USERS.writelines("%s:%s:%s\n" % (DOMAIN, *each.split(":", 1)) for each in sys.argv[3].split(","))
USERS.flush()
os.environ["NTLM_USER_FILE"] = USERS.name
PEER = KINDS[sys.argv[1]]()
for line in sys.stdin:
    try:
        reply = answer(PEER, json.loads(line))
    except Exception as error:
        reply = {"error": "%s: %s" % (type(error).__name__, error)}
    print(json.dumps(reply), flush=True)
