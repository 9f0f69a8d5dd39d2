"""What Chromium makes of a PAC file on standard input that says "NUMBER\tTEXT" by alert(): a list of these texts on standard output.

Chromium notes in its log what scripts say.
"""
import http.server
import json
import re
import subprocess
import sys
import tempfile
import threading

SCRIPT = sys.stdin.read()


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        is_script = self.path.endswith(".pac")
        body = SCRIPT.encode() if is_script else b"ok"
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ns-proxy-autoconfig" if is_script else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        log = f"{folder}/net.json"
        subprocess.run(
            [
                "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/user",
                f"--proxy-pac-url=http://127.0.0.1:{port}/x.pac", f"--log-net-log={log}",
                f"--host-resolver-rules=MAP a.example 127.0.0.1:{port}", "--dump-dom", "http://a.example/",
            ],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=1200, check=False,
        )
        with open(log, errors="replace") as file:
            text = file.read()
    found = {}
    for message in re.findall(r'"message":"((?:[^"\\]|\\.)*)"', text):
        number, tab, value = json.loads(f'"{message}"').partition("\t")
        if tab and number.isdigit():
            found.setdefault(int(number), value)
    json.dump([found.get(number) for number in range(len(found))], sys.stdout)


main()
