"""A web server behind TLS that demands NTLM and channel bindings, checked by pyspnego or gss-ntlmssp.

Arguments: as for token_peer.py. Prints its port; ends with its standard input. The binding is computed here from the
certificate that is presented: RFC 5929 4.1, and the certificate is signed with SHA-384.
"""

import base64
import hashlib
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from token_peer import PEER

from self_signed import secured


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        _, _, token = self.headers.get("Authorization", "").partition(" ")
        status, offer = 401, "NTLM"
        try:
            message = base64.b64decode(token)
            if message and message[8] == 1:
                offer += " " + base64.b64encode(PEER.accept(message, BINDING)).decode()
            elif message and PEER.decide(message):
                status = 200
        except Exception:
            # Whatever the reason: this client is not let in.
            pass
        self.send_response(status)
        if status == 401:
            self.send_header("WWW-Authenticate", offer)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
BINDING = b"tls-server-end-point:" + hashlib.sha384(secured(server)).digest()
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
