"""Prints medians of rounds: engines in rows, cases in columns, and the ratio of ours to the best peer."""

import collections
import statistics
import sys

times = collections.defaultdict(lambda: collections.defaultdict(list))
sizes = {}
for line in open(sys.argv[1], encoding="ascii"):
    engine, case, nanoseconds, size, seconds, _ = line.split()
    times[engine][case].append(float(nanoseconds))
    sizes[engine] = (size, seconds)
cases = ["hit", "zipf", "miss", "hit-dependent", "miss-dependent"]
medians = {e: {c: statistics.median(t[c]) for c in cases if t[c]} for e, t in times.items()}
print(f"{'':16}" + "".join(f"{case:>16}" for case in cases) + f"{'bytes a rule':>14}{'build s':>9}")
for engine, row in medians.items():
    cells = "".join(f"{row[case]:16.1f}" if case in row else f"{'':16}" for case in cases)
    print(f"{engine:16}{cells}{sizes[engine][0]:>14}{sizes[engine][1]:>9}")
peers = [row for engine, row in medians.items() if not engine.startswith("sallyport")]
if peers:
    ratios = [medians["sallyport"][case] / min(row[case] for row in peers) for case in cases]
    print(f"{'to the best peer':16}" + "".join(f"{ratio:16.2f}" for ratio in ratios))
