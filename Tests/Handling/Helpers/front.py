"""Runs an NTLM client against a web server on loopback that asks this script's owner what to answer.

Arguments: the client (see CLIENTS), and "http", "https" or "proxy". A line read is a JSON list that starts a request: domain
or "", user, password, a free port. Lines printed:

    certificate HEX     first, with https: the certificate that is presented, in DER
    token N BASE64      what the client sent on connection N; the line read back is a CHALLENGE (base64), "ok" or "no"
    status NUMBER       how the client's request ended; then the next one is read

A proxy is asked for a tunnel as well, and is then the server at its other end.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from self_signed import secured

CLIENT, DOOR = sys.argv[1:]
# Seconds that a busy machine does not reach.
PATIENCE = 1200
# Resolved strictly: a script that has moved ends this server at once, and does not leave it waiting for a port.
WAITING = (pathlib.Path(__file__).resolve().parents[2] / "Servers" / "waiting.bash").resolve(strict=True)
ASKS = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    connections = 0
    lets_in = False

    def setup(self):
        super().setup()
        with ASKS:
            Handler.connections += 1
            self.number = Handler.connections

    def do_GET(self):
        field, challenge, status = ("Authorization", "WWW-Authenticate", 401)
        if DOOR == "proxy":
            field, challenge, status = ("Proxy-Authorization", "Proxy-Authenticate", 407)
        scheme, _, token = self.headers.get(field, "").partition(" ")
        offer = "NTLM"
        if scheme == "NTLM":
            with ASKS:
                print("token", self.number, token, flush=True)
                answer = sys.stdin.readline().strip()
            # The connection is authenticated, for better or worse.
            self.lets_in = answer == "ok"
            if answer not in ("ok", "no"):
                offer += " " + answer
        self.send_response(200 if self.lets_in else status)
        if not self.lets_in:
            self.send_header(challenge, offer)
        if not (self.lets_in and self.command == "CONNECT"):
            self.send_header("Content-Length", "0")
        self.end_headers()

    do_CONNECT = do_GET

    def log_message(self, *_):
        pass


def curl(url, *options):
    command = ["curl", "-s", "-k", "-m", str(PATIENCE), "-o", os.devnull, "-w", "%{http_code} %{http_connect}", *options, url]
    result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout.split()
    # A tunnel that was refused has no answer inside.
    return next((each for each in result if each != "000"), "000")


def run_curl(url, folder):
    if DOOR != "proxy":
        return curl(url, "--noproxy", "*", "--ntlm", "-u", NAME + ":" + PASSWORD)
    proxy = ["-x", url, "--proxy-ntlm", "-U", NAME + ":" + PASSWORD]
    return both(lambda *tunnel: curl("http://wiki.acme.example/", *proxy, *tunnel))


def listens(port, process):
    command = ["bash", "-c", 'source "$0" && listens "$@"', WAITING, str(port), str(process.pid)]
    return subprocess.run(command).returncode == 0


def run_cntlm(url, folder):
    port = int(FREE_PORT)
    path = os.path.join(folder, "cntlm.conf")
    with open(path, "w", encoding="utf-8") as file:
        file.write("Username %s\nDomain %s\nPassword %s\nAuth NTLMv2\n" % (USER, DOMAIN, PASSWORD))
        file.write("Proxy %s\nListen 127.0.0.1:%d\nNoProxy none.test\n" % (url[len("http://") : -1], port))
    process = subprocess.Popen(
        ["/usr/sbin/cntlm", "-f", "-c", path],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(20 * PATIENCE):
            if listens(port, process):
                break
            if process.poll() is not None:
                sys.exit("cntlm did not start: exit status %d" % process.returncode)
            time.sleep(0.05)
        return both(lambda *tunnel: curl("http://wiki.acme.example/", "-x", "http://127.0.0.1:%d" % port, *tunnel))
    finally:
        process.kill()
        process.wait()


def both(request):
    """A request through a proxy, and a tunnel when that was let in."""
    status = request()
    return request("-p") if status == "200" else status


def run_requests(url, folder):
    import requests
    from requests_ntlm import HttpNtlmAuth

    warnings.simplefilter("ignore")
    session = requests.Session()
    session.trust_env = False
    auth = HttpNtlmAuth(NAME, PASSWORD, send_cbt=CLIENT == "requests_ntlm")
    return session.get(url, auth=auth, verify=False, timeout=PATIENCE).status_code


def run_pyspnego(url, folder):
    import base64
    import http.client

    import spnego

    context = spnego.client(NAME, PASSWORD, hostname="localhost", service="HTTP", protocol="ntlm")
    connection = http.client.HTTPConnection(url.split("/")[2], timeout=PATIENCE)
    token = None
    for _ in range(2):
        token = context.step(token)
        connection.request("GET", "/", headers={"Authorization": "NTLM " + base64.b64encode(token).decode()})
        response = connection.getresponse()
        response.read()
        token = base64.b64decode(response.headers.get("WWW-Authenticate", "").partition(" ")[2])
    return response.status


CLIENTS = {
    "curl": run_curl,
    "cntlm": run_cntlm,
    "requests_ntlm": run_requests,
    "requests_ntlm without bindings": run_requests,
    "pyspnego": run_pyspnego,
}
with tempfile.TemporaryDirectory() as scratch:
    front = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    front.daemon_threads = True
    if DOOR == "https":
        print("certificate", secured(front).hex(), flush=True)
    threading.Thread(target=front.serve_forever, daemon=True).start()
    address = "%s://localhost:%d/" % ("https" if DOOR == "https" else "http", front.server_port)
    for line in iter(sys.stdin.readline, ""):
        DOMAIN, USER, PASSWORD, FREE_PORT = json.loads(line)
        NAME = DOMAIN + "\\" + USER if DOMAIN else USER
        print("status", CLIENTS[CLIENT](address.replace("localhost", "127.0.0.1"), scratch), flush=True)
