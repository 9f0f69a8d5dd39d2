"""What pypac, whose JavaScript engine is Duktape, answers for the cases on standard input: {"script": …, "urls": [[url, host], …]}."""
import json
import sys

from pypac.parser import PACFile

cases = json.load(sys.stdin)
file = PACFile(cases["script"])
json.dump([file.find_proxy_for_url(url, host) for url, host in cases["urls"]], sys.stdout)
