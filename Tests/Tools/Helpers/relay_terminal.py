"""Runs `sallyport relay` on a terminal before a proxy of its own, types passwords, and prints one JSON object.

Arguments: the command and its own arguments; "PARENT" in them becomes the proxy's address. The proxy wants Basic from jdoe. The
first password is "first"; after one request it is "second". Each question is answered with the password that is right then, and
that for the name of the refused password with Enter.
"""

import base64
import http.server
import json
import os
import pty
import select
import signal
import socket
import sys
import termios
import threading
import time
import urllib.request

# Only what hangs takes so many seconds.
PATIENCE = 1200

password = "first"
bad = 0


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        global bad
        field = self.headers.get("Proxy-Authorization")
        right = "Basic " + base64.b64encode(f"jdoe:{password}".encode()).decode()
        if field is not None and field != right:
            bad += 1
        body = b"in" if field == right else b""
        self.send_response(200 if body else 407)
        if not body:
            self.send_header("Proxy-Authenticate", 'Basic realm="r"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


signal.alarm(900)
proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
threading.Thread(target=proxy.serve_forever, daemon=True).start()
command = [part.replace("PARENT", f"127.0.0.1:{proxy.server_port}") for part in sys.argv[1:]]
output = os.environ["OUTPUT"]
shown = b""


def run(steps):
    """Starts the relay, takes the steps, ends it; returns what they said and the exit status."""
    global shown
    open(output, "w").close()
    child, terminal = pty.fork()
    if child == 0:
        os.dup2(os.open(output, os.O_WRONLY | os.O_APPEND), 1)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        os.execv(command[0], command)

    def look():
        global shown
        if select.select([terminal], [], [], 0.02)[0]:
            shown += os.read(terminal, 4096)

    def until(condition):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and not condition():
            look()
        return condition()

    until(lambda: "export no_proxy" in open(output).read())
    port = int(open(output).read().split("http://127.0.0.1:")[-1].split()[0])
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": f"http://127.0.0.1:{port}"}))

    def get(answers):
        """One request; types an answer at each question."""
        got = []

        def ask():
            try:
                got.append(opener.open("http://a.example/", timeout=1200).status)
            except urllib.error.HTTPError as error:
                got.append(error.code)

        asked = shown.count(b": ")
        thread = threading.Thread(target=ask)
        thread.start()
        for number, (answer, echoes) in enumerate(answers, 1):
            # The question stands there, and the terminal is set for its answer.
            ready = until(
                lambda: shown.count(b": ") == asked + number
                and bool(termios.tcgetattr(terminal)[3] & termios.ECHO) == echoes
            )
            if not ready:
                break
            os.write(terminal, answer.encode() + b"\n")
        until(lambda: not thread.is_alive())
        return got[0] if got else None

    result = steps(get)
    os.kill(child, signal.SIGTERM)
    ended = []
    waiter = threading.Thread(target=lambda: ended.append(os.waitpid(child, 0)[1]))
    waiter.start()
    try:
        until(lambda: bool(ended))
    except OSError:
        pass
    waiter.join()
    return result + [os.waitstatus_to_exitcode(ended[0])]


def first(get):
    global password
    one = get([("jdoe", True), ("first", False)])
    password = "second"
    return [one, get([("", True), ("second", False)]), get([])]


statuses = run(first)
again = run(lambda get: [get([])])
print(json.dumps({"statuses": statuses, "again": again, "bad": bad, "shown": shown.decode()}))
