"""What programs do with NO_PROXY: reads {"list": text, "urls": [...]}, prints {program: [answer to each URL]} as JSON.

An answer is true if curl, or Python's urllib, goes past the proxy.
"""
import json
import subprocess
import sys
import urllib.parse
import urllib.request

# No server has this port.
PROXY = "127.0.0.1:9"
DIRECT = "127.0.0.2:9"


def curl(noproxy, url):
    # Every direct connection leads to this machine, where nothing answers: the attempt is all that is looked at.
    run = subprocess.run(
        ["curl", "--verbose", "--silent", "--globoff", "--max-time", "1", "--noproxy", noproxy, "--proxy", f"http://{PROXY}",
         "--connect-to", f"::{DIRECT}", url],
        capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"},
    )
    is_direct, is_proxied = f"Trying {DIRECT}" in run.stderr, f"Trying {PROXY}" in run.stderr
    if is_direct == is_proxied:
        sys.exit(f"{url}: {run.stderr}")
    return is_direct


def python(noproxy, url):
    return bool(urllib.request.proxy_bypass_environment(urllib.parse.urlsplit(url).netloc, {"no": noproxy}))


def main():
    question = json.load(sys.stdin)
    answers = {
        program.__name__: [program(question["list"], url) for url in question["urls"]] for program in (curl, python)
    }
    print(json.dumps(answers))


main()
