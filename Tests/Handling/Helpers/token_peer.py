"""Plays one NTLM implementation, client and server, over lines of JSON.

Arguments: the implementation, then DOMAIN and USER:PASSWORD[,…] for its side as a server. Requests and answers:

    {"user", "domain", "password", "bindings"}  a client starts     {"token": NEGOTIATE}
    {"challenge"}                               it goes on          {"token": AUTHENTICATE}
    {"negotiate", "bindings"}                   a server starts     {"token": CHALLENGE}
    {"authenticate"}                            it decides          {"user": who got in}

Messages are base64; bindings are the application data in hexadecimal digits, or null. What goes wrong is {"error"}.
"""

import base64
import hashlib
import json
import os
import struct
import subprocess
import sys

TARGET = "wiki.acme.example"


def packed(data):
    """gss_channel_bindings_struct as MS-NLMP 2.2.2.1 hashes it."""
    return struct.pack("<IIIII", 0, 0, 0, 0, len(data)) + data


class Pyspnego:
    def __init__(self):
        import spnego
        from spnego.channel_bindings import GssChannelBindings

        self.spnego, self.bindings = spnego, GssChannelBindings

    def options(self, data):
        bindings = self.bindings(application_data=data) if data is not None else None
        return dict(protocol="ntlm", options=self.spnego.NegotiateOptions.use_ntlm, channel_bindings=bindings)

    def initiate(self, user, domain, password, data):
        name = domain + "\\" + user if domain else user
        self.client = self.spnego.client(name, password, hostname=TARGET, service="HTTP", **self.options(data))
        return self.client.step()

    def proceed(self, challenge):
        return self.client.step(challenge)

    def accept(self, negotiate, data):
        self.server = self.spnego.server(**self.options(data))
        return self.server.step(negotiate)

    def decide(self, authenticate):
        self.server.step(authenticate)
        return self.server.client_principal


class GSSNTLMSSP:
    def __init__(self):
        import gssapi

        self.gssapi = gssapi
        self.mechanism = gssapi.OID.from_int_seq("1.3.6.1.4.1.311.2.2.10")

    def bindings(self, data):
        return self.gssapi.raw.ChannelBindings(application_data=data) if data is not None else None

    def initiate(self, user, domain, password, data):
        name = self.gssapi.Name(domain + "\\" + user if domain else user, self.gssapi.NameType.user)
        credentials = self.gssapi.raw.acquire_cred_with_password(
            name, password.encode(), mechs=[self.mechanism], usage="initiate"
        ).creds
        self.client = self.gssapi.SecurityContext(
            name=self.gssapi.Name("HTTP@" + TARGET, self.gssapi.NameType.hostbased_service),
            creds=self.gssapi.Credentials(credentials),
            mech=self.mechanism,
            usage="initiate",
            channel_bindings=self.bindings(data),
        )
        return self.client.step()

    def proceed(self, challenge):
        return self.client.step(challenge)

    def accept(self, negotiate, data):
        self.server = self.gssapi.SecurityContext(
            creds=self.gssapi.Credentials(usage="accept", mechs=[self.mechanism]),
            usage="accept",
            channel_bindings=self.bindings(data),
        )
        return self.server.step(negotiate)

    def decide(self, authenticate):
        self.server.step(authenticate)
        return str(self.server.initiator_name).rstrip("\0") if self.server.complete else None


class Samba:
    """ntlm_auth, a process for each handshake; as a server it asks the winbindd that this runs beside."""

    process = None

    def start(self, *arguments):
        if self.process:
            self.process.kill()
            self.process.communicate()
        self.process = subprocess.Popen(
            ["ntlm_auth", "--configfile=" + os.environ["SMB_CONF"], *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def ask(self, line, *expected):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        kind, _, rest = self.process.stdout.readline().decode().strip().partition(" ")
        if kind not in expected:
            raise RuntimeError("ntlm_auth: " + kind + " " + rest)
        return rest

    def initiate(self, user, domain, password, data):
        # No shell and no other user sees these arguments: a test's own password.
        who = ["--username=" + user, "--domain=" + domain, "--password=" + password]
        self.start("--helper-protocol=ntlmssp-client-1", *who)
        return base64.b64decode(self.ask("YR", "YR"))

    def proceed(self, challenge):
        return base64.b64decode(self.ask("TT " + base64.b64encode(challenge).decode(), "KK", "AF"))

    def accept(self, negotiate, data):
        self.start("--helper-protocol=squid-2.5-ntlmssp")
        return base64.b64decode(self.ask("YR " + base64.b64encode(negotiate).decode(), "TT"))

    def decide(self, authenticate):
        return self.ask("KK " + base64.b64encode(authenticate).decode(), "AF")


class NTLMAuth:
    def __init__(self):
        import ntlm_auth.compute_hash
        from spnego._ntlm_raw.md4 import md4

        class Digests:
            """MD4 is missing from OpenSSL 3, and ntlm-auth looks for it nowhere else."""

            def __getattr__(self, name):
                return getattr(hashlib, name)

            def new(self, name, data):
                return type("MD4", (), {"digest": lambda _: md4(data)})() if name == "md4" else hashlib.new(name, data)

        ntlm_auth.compute_hash.hashlib = Digests()

    def initiate(self, user, domain, password, data):
        from ntlm_auth.gss_channel_bindings import GssChannelBindingsStruct
        from ntlm_auth.ntlm import NtlmContext

        bindings = None
        if data is not None:
            bindings = GssChannelBindingsStruct()
            bindings[bindings.APPLICATION_DATA] = data
        self.client = NtlmContext(user, password, domain, cbt_data=bindings)
        return self.client.step()

    def proceed(self, challenge):
        return self.client.step(challenge)


class Impacket:
    def initiate(self, user, domain, password, data):
        from impacket import ntlm

        self.ntlm, self.account = ntlm, (user, password, domain)
        self.bindings = hashlib.md5(packed(data)).digest() if data is not None else b""
        self.negotiate = ntlm.getNTLMSSPType1("", "", True, use_ntlmv2=True)
        return self.negotiate.getData()

    def proceed(self, challenge):
        message, _ = self.ntlm.getNTLMSSPType3(
            self.negotiate, challenge, *self.account, use_ntlmv2=True, channel_binding_value=self.bindings
        )
        return message.getData()

    def accept(self, negotiate, data):
        """As impacket's own SMB server puts its CHALLENGE together."""
        from impacket import ntlm

        self.ntlm = ntlm
        self.asked = ntlm.NTLMAuthNegotiate()
        self.asked.fromString(negotiate)
        info = ntlm.AV_PAIRS()
        for key in (ntlm.NTLMSSP_AV_HOSTNAME, ntlm.NTLMSSP_AV_DNS_HOSTNAME, ntlm.NTLMSSP_AV_DNS_DOMAINNAME):
            info[key] = "WIKI".encode("utf-16le")
        info[ntlm.NTLMSSP_AV_DOMAINNAME] = DOMAIN.encode("utf-16le")
        challenge = ntlm.NTLMAuthChallenge()
        challenge["flags"] = self.asked["flags"] | ntlm.NTLMSSP_NEGOTIATE_TARGET_INFO
        challenge["flags"] |= ntlm.NTLMSSP_NEGOTIATE_VERSION
        name = "WIKI".encode("utf-16le")
        challenge["domain_len"] = challenge["domain_max_len"] = len(name)
        challenge["domain_offset"] = 56
        challenge["challenge"] = os.urandom(8)
        challenge["domain_name"] = name
        challenge["TargetInfoFields_len"] = challenge["TargetInfoFields_max_len"] = len(info.getData())
        challenge["TargetInfoFields"] = info
        challenge["TargetInfoFields_offset"] = 56 + len(name)
        challenge["Version"] = b"\xff" * 8
        challenge["VersionLen"] = 8
        self.challenge = challenge
        return challenge.getData()

    def decide(self, authenticate):
        from impacket.smbserver import computeNTLMv2

        message = self.ntlm.NTLMAuthChallengeResponse()
        message.fromString(authenticate)
        user = message["user_name"].decode("utf-16le")
        password = ACCOUNTS.get(user.lower(), "")
        hashes = self.ntlm.LMOWFv1("", b"", b""), self.ntlm.NTOWFv1(password)
        status, _ = computeNTLMv2(user, *hashes, self.challenge["challenge"], message, self.challenge, self.asked)
        return user if status == 0 and user.lower() in ACCOUNTS else None


def answer(peer, request):
    token = {key: base64.b64decode(request[key]) for key in ("challenge", "negotiate", "authenticate") if key in request}
    data = bytes.fromhex(request["bindings"]) if request.get("bindings") else None
    if "challenge" in token:
        return peer.proceed(token["challenge"])
    if "negotiate" in token:
        return peer.accept(token["negotiate"], data)
    if "authenticate" in token:
        return peer.decide(token["authenticate"])
    return peer.initiate(request["user"], request["domain"], request["password"], data)


KINDS = {"pyspnego": Pyspnego, "gss-ntlmssp": GSSNTLMSSP, "samba": Samba, "ntlm-auth": NTLMAuth, "impacket": Impacket}
DOMAIN = sys.argv[2]
ACCOUNTS = dict(each.split(":", 1) for each in sys.argv[3].split(","))
os.environ["NETBIOS_DOMAIN_NAME"], os.environ["NETBIOS_COMPUTER_NAME"] = DOMAIN, "WIKI"
# In memory, because a peer that is killed leaves its files behind.
USERS = os.fdopen(os.memfd_create("users"), "w", encoding="utf-8")
USERS.writelines("%s:%s:%s\n" % (DOMAIN, *each) for each in ACCOUNTS.items())
USERS.flush()
os.environ["NTLM_USER_FILE"] = "/proc/self/fd/%d" % USERS.fileno()
PEER = KINDS[sys.argv[1]]()


def main():
    for line in sys.stdin:
        try:
            result = answer(PEER, json.loads(line))
            if isinstance(result, bytes):
                reply = {"token": base64.b64encode(result).decode()}
            else:
                reply = {"user": result} if result else {"error": "refused"}
        except Exception as error:
            reply = {"error": "%s: %s" % (type(error).__name__, error)}
        print(json.dumps(reply), flush=True)
    if isinstance(PEER, Samba) and PEER.process:
        PEER.process.kill()


if __name__ == "__main__":
    main()
