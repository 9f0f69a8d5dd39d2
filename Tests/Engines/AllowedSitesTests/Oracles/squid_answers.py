"""What Squid does with a dstdomain list: reads {"list": text, "urls": [...]} and prints the answer to each URL as JSON.

An answer is true if a Squid that allows only the list lets the request in. A list that Squid refuses or warns of ends
this program with Squid's words.
"""
import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

SQUID = "/usr/sbin/squid"
PATIENCE = 1200

CONFIGURATION = """
acl ours dstdomain "{folder}/list"
http_access allow ours
http_access deny all
never_direct allow all
http_port 127.0.0.1:{port}
cache_effective_user proxy
pid_filename none
cache_log {folder}/cache.log
access_log none
coredump_dir {folder}
cache_mem 1 MB
shutdown_lifetime 0 seconds
visible_hostname squid.example
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def is_allowed(port, url):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", url)
    status = connection.getresponse().status
    connection.close()
    # An allowed request has no parent to go to, so it ends with another error.
    if status != 403 and status < 500:
        sys.exit(f"{url}: status {status}")
    return status != 403


def main():
    question = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.chmod(folder, 0o777)
        (folder / "list").write_text(question["list"] + "\n")
        port = free_port()
        (folder / "squid.conf").write_text(CONFIGURATION.format(folder=folder, port=port))
        parsed = subprocess.run([SQUID, "-k", "parse", "-f", folder / "squid.conf"], capture_output=True, text=True)
        complaints = [line for line in parsed.stderr.splitlines() if "ERROR" in line or "FATAL" in line or "WARNING" in line]
        if parsed.returncode or complaints:
            sys.exit("\n".join(complaints or [f"status {parsed.returncode}"]))
        squid = subprocess.Popen([SQUID, "-N", "-f", folder / "squid.conf"], stderr=subprocess.DEVNULL)
        try:
            end = time.monotonic() + PATIENCE
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
                    break
                except OSError:
                    if squid.poll() is not None or time.monotonic() > end:
                        sys.exit(f"squid did not start: {(folder / 'cache.log').read_text()[-2000:]}")
                    time.sleep(0.05)
            print(json.dumps([is_allowed(port, url) for url in question["urls"]]))
        finally:
            squid.kill()
            squid.wait()


main()
