"""pyspnego as Squid's NTLM helper, one a connection, on a port of loopback that is printed.

Squid's protocol: "YR token" starts a handshake and "KK token" ends it; the answers are "TT token" (a CHALLENGE), "AF user"
and "NA reason". The accounts stand in the file that NTLM_USER_FILE names.
"""

import base64
import socketserver

import spnego


class Helper(socketserver.StreamRequestHandler):
    def handle(self):
        context = None
        for line in self.rfile:
            command, _, token = line.decode().strip().partition(" ")
            try:
                if command == "YR":
                    context = spnego.server(protocol="ntlm", options=spnego.NegotiateOptions.use_ntlm)
                answer = context.step(base64.b64decode(token))
                if context.complete:
                    answer = "AF " + context.client_principal.replace(" ", "_")
                else:
                    answer = "TT " + base64.b64encode(answer).decode()
            except Exception as error:
                answer = "NA " + type(error).__name__
            self.wfile.write(answer.encode() + b"\n")


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


with Server(("127.0.0.1", 0), Helper) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
