"""One TCP connection of the client: TLS with the chain in full view, and HTTP/1.1 parsed just enough.

Raw sockets and pyOpenSSL instead of an HTTP library, because a recording needs what libraries hide: which connection
a response came on, header fields in order, the presented and the validated chain, the request for a certificate.
"""

import itertools
import socket
from dataclasses import dataclass, field

from cryptography import x509
from OpenSSL import SSL, crypto

import certificates
from http2 import Session

_numbers = itertools.count(1)


@dataclass
class Response:
    """Status and header fields as they came; the body is read and dropped."""

    status: int
    fields: list[tuple[str, str]]

    def values(self, name: str) -> list[str]:
        return [value for other, value in self.fields if other.lower() == name.lower()]


@dataclass
class Handshake:
    """What one TLS handshake showed."""

    presented: list[x509.Certificate] = field(default_factory=list)
    validated: list[x509.Certificate] | None = None
    error: str | None = None
    # DER of every Name in the CertificateRequest; None when no certificate was asked for.
    authorities: list[bytes] | None = None
    client_certificate: x509.Certificate | None = None


class Connection:
    """A connection to one machine. `number` counts connections over the whole recording."""

    def __init__(self, address: str, port: int) -> None:
        self.number = next(_numbers)
        self.is_open = True
        self.handshake: Handshake | None = None
        # The major version of HTTP.
        self.http = 1
        self._http2: Session | None = None
        self._socket = socket.create_connection((address, port), timeout=20)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._tls: SSL.Connection | None = None
        self._buffer = b""

    def close(self) -> None:
        self.is_open = False
        self._socket.close()

    # TLS

    def start_tls(
        self, host: str, trusted: list[x509.Certificate], identity: certificates.Issued | None, http2: bool = False
    ) -> Handshake:
        """Shakes hands, then validates the chain. The handshake itself accepts anything, so that all can be seen."""
        context = SSL.Context(SSL.TLS_CLIENT_METHOD)
        context.set_verify(SSL.VERIFY_NONE, lambda *_: True)
        if identity:
            context.use_privatekey(crypto.PKey.from_cryptography_key(identity.key))
            context.use_certificate(crypto.X509.from_cryptography(identity.certificate))
            for above in identity.chain[1:-1]:
                context.add_extra_chain_cert(crypto.X509.from_cryptography(above))
        if http2:
            context.set_alpn_protos([b"h2"])
        was_asked = False

        def note_request(connection, where, _):
            nonlocal was_asked
            was_asked |= b"certificate request" in connection.get_state_string()

        context.set_info_callback(note_request)
        self._socket.settimeout(None)
        self._tls = SSL.Connection(context, self._socket)
        self._tls.set_tlsext_host_name(host.encode())
        self._tls.set_connect_state()
        self._tls.do_handshake()
        handshake = Handshake([c.to_cryptography() for c in self._tls.get_peer_cert_chain() or []])
        handshake.validated, handshake.error = validate(handshake.presented, host, trusted)
        if was_asked:
            handshake.authorities = [name.der() for name in self._tls.get_client_ca_list()]
            handshake.client_certificate = identity.certificate if identity else None
        self.handshake = handshake
        if http2:
            self.http, self._http2 = 2, Session(self._tls)
        return handshake

    # HTTP

    def request(self, method: str, target: str, fields: list[tuple[str, str]], body: bytes = b"") -> Response:
        """Sends one request and reads one response to its end."""
        if self._http2:
            status, pairs = self._http2.request(method, target, fields, body)
            return Response(status, pairs)
        head = f"{method} {target} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields) + "\r\n"
        self._send(head.encode() + body)
        while True:
            lines = self._read_until(b"\r\n\r\n").decode("utf-8", "surrogateescape").split("\r\n")
            status = int(lines[0].split()[1])
            if status >= 200:
                break
        pairs = [line.partition(":")[::2] for line in lines[1:] if line]
        response = Response(status, [(name, value.strip(" \t")) for name, value in pairs])
        self._drain_body(method, response)
        if any("close" in value.lower() for value in response.values("Connection")):
            self.close()
        return response

    def _drain_body(self, method: str, response: Response) -> None:
        if method == "HEAD" or response.status in (204, 304) or (method == "CONNECT" and response.status < 300):
            return
        if any("chunked" in value.lower() for value in response.values("Transfer-Encoding")):
            while size := int(self._read_until(b"\r\n").split(b";")[0], 16):
                self._read_exactly(size + 2)
            while self._read_until(b"\r\n") != b"\r\n":
                pass
        elif lengths := response.values("Content-Length"):
            self._read_exactly(int(lengths[0]))
        else:
            while self._receive():
                pass
            self.close()

    def _send(self, data: bytes) -> None:
        (self._tls or self._socket).sendall(data)

    def _receive(self) -> bytes:
        try:
            data = (self._tls or self._socket).recv(65536)
        except (SSL.ZeroReturnError, SSL.SysCallError):
            data = b""
        self._buffer += data
        return data

    def _read_until(self, end: bytes) -> bytes:
        while end not in self._buffer:
            if not self._receive():
                raise ConnectionError("the server closed the connection inside a response")
        head, _, self._buffer = self._buffer.partition(end)
        return head + end

    def _read_exactly(self, count: int) -> None:
        while len(self._buffer) < count:
            if not self._receive():
                raise ConnectionError("the server closed the connection inside a body")
        self._buffer = self._buffer[count:]


def validate(
    presented: list[x509.Certificate], host: str, trusted: list[x509.Certificate]
) -> tuple[list[x509.Certificate] | None, str | None]:
    """The validated chain from leaf to anchor, or None and what OpenSSL said about it."""
    store = crypto.X509Store()
    for anchor in trusted:
        store.add_cert(crypto.X509.from_cryptography(anchor))
    leaf, *others = [crypto.X509.from_cryptography(certificate) for certificate in presented]
    try:
        chain = crypto.X509StoreContext(store, leaf, chain=others).get_verified_chain()
    except crypto.X509StoreContextError as error:
        return None, str(error)
    names = presented[0].extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    if not any(covers(name, host) for name in names.get_values_for_type(x509.DNSName)):
        return None, "hostname mismatch"
    return [certificate.to_cryptography() for certificate in chain], None


def covers(name: str, host: str) -> bool:
    """Whether a dNSName of a certificate covers the host (RFC 6125 6.4.3, whole left-most label only)."""
    if name.startswith("*."):
        return host.partition(".")[2] == name[2:]
    return name == host
