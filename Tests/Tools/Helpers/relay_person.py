"""Runs `sallyport relay` on a terminal before a proxy of its own, makes mistakes as a person does, and prints one JSON object.

Arguments: the command and its own arguments; "PARENT" in them becomes the proxy's address. The proxy wants Basic from jdoe.
"""

import base64
import http.server
import json
import os
import re
import socket
import sys
import threading
import time

import terminal_session

password = "first"


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def is_right(self):
        right = "Basic " + base64.b64encode(f"jdoe:{password}".encode()).decode()
        return self.headers.get("Proxy-Authorization") == right

    def ask(self):
        self.send_response(407)
        self.send_header("Proxy-Authenticate", 'Basic realm="r"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_CONNECT(self):
        if not self.is_right():
            return self.ask()
        self.send_response(200)
        self.end_headers()
        # The tunnel stays open until the relay closes it.
        self.rfile.read()
        self.close_connection = True

    def log_message(self, *_):
        pass


proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
proxy.daemon_threads = True
threading.Thread(target=proxy.serve_forever, daemon=True).start()
command = [part.replace("PARENT", f"127.0.0.1:{proxy.server_port}") for part in sys.argv[1:]]
session = terminal_session.Session(command, os.environ)
session.until(lambda: "export no_proxy" in session.shown)
port = int(session.shown.split("http://127.0.0.1:")[-1].split()[0])
tunnels = []


def connect(target, answers):
    """Opens a tunnel; types an answer at each question. Returns the status line."""
    stream = socket.create_connection(("127.0.0.1", port))
    stream.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
    got = []
    thread = threading.Thread(target=lambda: got.append(stream.recv(65536).decode()))
    thread.start()
    for answer in answers:
        session.until(lambda: session.question() is not None or got)
        if got:
            break
        answer()
    session.until(lambda: bool(got))
    thread.join()
    tunnels.append(stream)
    return got[0].split("\r\n")[0]


def typed(text):
    return lambda: session.answer(text)


def disturbed(text):
    """Something is logged while the question stands there, and the counters change."""

    def answer():
        connect("127.0.0.1:9", [])
        time.sleep(1.5)
        session.answer(text)

    return answer


lines = [connect("a.example:443", [typed("jode"), typed("first"), typed("jdoe"), disturbed("first")])]
password = "second"
lines.append(connect("b.example:443", [typed(""), typed("")]))
lines.append(connect("b.example:443", [typed(""), typed("")]))
lines.append(connect("b.example:443", [typed(""), typed("second")]))
session.press("\x03")
waits = session.until(lambda: "at once" in session.shown)
session.press("\x03")
status = session.end()
# What stands where the answer to a hidden question is typed: only the end of the line.
after = re.findall(r"Password of [^:\r\n]*: ([^\r\n]*)", session.shown)
print(json.dumps({"lines": lines, "waits": waits, "exit": status, "after": after, "shown": session.shown}))
