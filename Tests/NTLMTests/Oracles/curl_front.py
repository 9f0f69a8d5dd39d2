"""Runs `curl --ntlm` against a web server on loopback that asks this script's owner what to answer.

Arguments: user, password. Each NTLM token of curl's is printed on a line (base64); the line read back is a CHALLENGE
(base64), "ok" or "no". The last line printed is the status that curl ended with.
"""

import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        offer = "NTLM"
        status = 401
        if scheme == "NTLM":
            print(token, flush=True)
            answer = sys.stdin.readline().strip()
            if answer == "ok":
                status = 200
            elif answer != "no":
                offer += " " + answer
        self.send_response(status)
        if status == 401:
            self.send_header("WWW-Authenticate", offer)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = "http://127.0.0.1:%d/" % server.server_port
command = ["curl", "-s", "-m", "20", "--noproxy", "*", "-w", "%{http_code}", "--ntlm", "-u", ":".join(sys.argv[1:3]), url]
print(subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout, flush=True)
