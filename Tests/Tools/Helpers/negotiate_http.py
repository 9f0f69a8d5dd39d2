"""Negotiate over HTTP by other people, client and server, for the table of pairs.

    negotiate_http.py server pyspnego|gssapi                        prints its port, ends with standard input
    negotiate_http.py client pyspnego|gssapi|impacket MECHANISM URL prints status and page

MECHANISM is kerberos or ntlm. Kerberos comes from the environment (KRB5_CONFIG, KRB5CCNAME, KRB5_KTNAME); NTLM knows ACME\\jdoe.
gssapi is MIT Kerberos, with gss-ntlmssp for NTLM. pyspnego frames its tokens itself.
"""

import base64
import http.client
import http.server
import os
import sys
import tempfile
import threading
import urllib.parse

DOMAIN, USER, PASSWORD, HOST = "ACME", "jdoe", "Correct-Horse", "localhost"
USERS = tempfile.NamedTemporaryFile("w")
USERS.write("%s:%s:%s\n" % (DOMAIN, USER, PASSWORD))
USERS.flush()
os.environ["NTLM_USER_FILE"] = USERS.name
os.environ["NETBIOS_DOMAIN_NAME"], os.environ["NETBIOS_COMPUTER_NAME"] = DOMAIN, "WIKI"


class Pyspnego:
    def client(self, mechanism):
        import spnego

        options = dict(hostname=HOST, service="HTTP", protocol="negotiate", options=spnego.NegotiateOptions.use_negotiate)
        if mechanism == "kerberos":
            return spnego.client(**options)
        return spnego.client(DOMAIN + "\\" + USER, PASSWORD, **options)

    def server(self):
        import spnego

        return spnego.server(
            hostname=HOST, service="HTTP", protocol="negotiate", options=spnego.NegotiateOptions.use_negotiate
        )

    def name(self, context):
        return context.client_principal


class GSSAPI:
    def __init__(self):
        import gssapi

        self.gssapi = gssapi
        self.spnego = gssapi.OID.from_int_seq("1.3.6.1.5.5.2")

    def client(self, mechanism):
        credentials = None
        if mechanism == "ntlm":
            name = self.gssapi.Name(DOMAIN + "\\" + USER, self.gssapi.NameType.user)
            acquired = self.gssapi.raw.acquire_cred_with_password(
                name, PASSWORD.encode(), mechs=[self.spnego], usage="initiate"
            )
            credentials = self.gssapi.Credentials(acquired.creds)
        service = self.gssapi.Name("HTTP@" + HOST, self.gssapi.NameType.hostbased_service)
        flags = [self.gssapi.RequirementFlag.integrity]
        if mechanism == "kerberos":
            flags.append(self.gssapi.RequirementFlag.mutual_authentication)
        return self.gssapi.SecurityContext(
            name=service, creds=credentials, mech=self.spnego, usage="initiate", flags=flags
        )

    def server(self):
        return self.gssapi.SecurityContext(creds=self.gssapi.Credentials(usage="accept"), usage="accept")

    def name(self, context):
        return str(context.initiator_name).rstrip("\0")


class Impacket:
    """A client alone: its servers are those of SMB."""

    def client(self, mechanism):
        self.complete = False
        self.mechanism = mechanism
        return self

    def step(self, token=None):
        from impacket.spnego import SPNEGO_NegTokenInit, SPNEGO_NegTokenResp, TypesMech

        if token is None:
            first = SPNEGO_NegTokenInit()
            if self.mechanism == "kerberos":
                first["MechTypes"] = [TypesMech["MS KRB5 - Microsoft Kerberos 5"]]
                first["MechToken"] = self.request(TypesMech["KRB5 - Kerberos 5"])
                self.complete = True
            else:
                from impacket import ntlm

                self.negotiate = ntlm.getNTLMSSPType1("", DOMAIN, use_ntlmv2=True)
                first["MechTypes"] = [TypesMech["NTLMSSP - Microsoft NTLM Security Support Provider"]]
                first["MechToken"] = self.negotiate.getData()
            return first.getData()
        if self.complete:
            return None
        from impacket import ntlm

        challenge = SPNEGO_NegTokenResp(token)["ResponseToken"]
        authenticate, _ = ntlm.getNTLMSSPType3(self.negotiate, challenge, USER, PASSWORD, DOMAIN, use_ntlmv2=True)
        last = SPNEGO_NegTokenResp()
        last["ResponseToken"] = authenticate.getData()
        self.complete = True
        return last.getData()

    def request(self, kerberos):
        """An AP-REQ (RFC 4120 section 5.5.1) for the ticket of the service, which must be in the cache, in the frame of RFC 4121."""
        import datetime
        import struct

        from impacket.krb5 import constants
        from impacket.krb5.asn1 import AP_REQ, TGS_REP, Authenticator, seq_set
        from impacket.krb5.ccache import CCache
        from impacket.krb5.types import KerberosTime, Principal, Ticket
        from impacket.spnego import ASN1_AID, ASN1_OID, asn1encode
        from pyasn1.codec.der import decoder, encoder
        from pyasn1.type.univ import noValue

        cache = CCache.loadFile(os.environ["KRB5CCNAME"].removeprefix("FILE:"))
        owner = cache.principal.toPrincipal()
        entry = cache.getCredential("HTTP/%s@%s" % (HOST, owner.realm), anySPN=False).toTGS()
        reply = decoder.decode(entry["KDC_REP"], asn1Spec=TGS_REP())[0]
        ticket = Ticket()
        ticket.from_asn1(reply["ticket"])
        request = AP_REQ()
        request["pvno"] = 5
        request["msg-type"] = int(constants.ApplicationTagNumbers.AP_REQ.value)
        request["ap-options"] = constants.encodeFlags([constants.APOptions.mutual_required.value])
        seq_set(request, "ticket", ticket.to_asn1)
        proof = Authenticator()
        proof["authenticator-vno"] = 5
        proof["crealm"] = str(owner.realm)
        client = Principal(owner.components[0], type=constants.PrincipalNameType.NT_PRINCIPAL.value)
        seq_set(proof, "cname", client.components_to_asn1)
        now = datetime.datetime.now(datetime.timezone.utc)
        proof["cusec"] = now.microsecond
        proof["ctime"] = KerberosTime.to_asn1(now)
        proof["cksum"] = noValue
        proof["cksum"]["cksumtype"] = 0x8003
        # 16 bytes of no channel binding, and the flags mutual and integrity (RFC 4121 section 4.1.1).
        proof["cksum"]["checksum"] = struct.pack("<L16xL", 16, 0x22)
        sealed = entry["cipher"].encrypt(entry["sessionKey"], 11, encoder.encode(proof), None)
        request["authenticator"] = noValue
        request["authenticator"]["etype"] = entry["cipher"].enctype
        request["authenticator"]["cipher"] = sealed
        framed = bytes([ASN1_OID]) + asn1encode(kerberos) + b"\x01\x00" + encoder.encode(request)
        return bytes([ASN1_AID]) + asn1encode(framed)


KINDS = {"pyspnego": Pyspnego, "gssapi": GSSAPI, "impacket": Impacket}


def serve(peer):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        context = None

        def do_GET(self):
            value = self.headers.get("Authorization", "").split()
            if len(value) != 2 or value[0] != "Negotiate":
                return self.answer(401, "Negotiate")
            try:
                if self.context is None:
                    self.context = peer.server()
                token = self.context.step(base64.b64decode(value[1]))
                complete = self.context.complete
            except Exception as error:
                self.context = None
                return self.answer(401, "Negotiate", "%s: %s" % (type(error).__name__, error))
            proof = "Negotiate " + base64.b64encode(token).decode() if token else None
            if not complete:
                return self.answer(401, proof or "Negotiate")
            name, self.context = peer.name(self.context), None
            self.answer(200, proof, name)

        def answer(self, status, challenge, page=""):
            data = (page + "\n").encode()
            self.send_response(status)
            if challenge:
                self.send_header("WWW-Authenticate", challenge)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print("port", server.server_port, flush=True)
    sys.stdin.read()


def ask(peer, mechanism, url):
    url = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=1200)
    context = peer.client(mechanism)
    token = context.step()
    for _ in range(4):
        connection.request("GET", "/", headers={"Authorization": "Negotiate " + base64.b64encode(token).decode()})
        response = connection.getresponse()
        page = response.read().decode().strip()
        value = (response.headers.get("WWW-Authenticate") or "").split()
        reply = base64.b64decode(value[1]) if len(value) == 2 else None
        if response.status != 401 or reply is None:
            break
        token = context.step(reply)
    if response.status == 200 and reply is not None and not context.complete:
        context.step(reply)
    print(response.status, "complete" if context.complete else "incomplete", page, flush=True)


if sys.argv[1] == "server":
    serve(KINDS[sys.argv[2]]())
else:
    ask(KINDS[sys.argv[2]](), *sys.argv[3:])
