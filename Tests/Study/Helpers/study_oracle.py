#!/usr/bin/env python3
"""The whole study once more, slowly and from its definitions. Standard library, and lifelines for Kaplan-Meier.

    study_oracle.py RECORDING '{"curve": "exponential", "halfLifeDays": 7, "reactionDays": 1, "gridDays": null,
                                "resamplings": 50, "seed": 1}'

Prints what `sallyport study --json` must print, without latencies, sizes of compiled sets and the advice.
"""
import collections
import datetime
import functools
import itertools
import json
import math
import pathlib
import re
import sys
import warnings

warnings.filterwarnings("ignore")
from lifelines import KaplanMeierFitter  # noqa: E402
from lifelines.utils import restricted_mean_survival_time  # noqa: E402

DAY, HORIZON, TIE = 86_400, 365.0, 1e-9
GRID = [0, 1, 7, 14, 30, 60, 90, 120, 180, 270, 365, 545, 730, 910]


def seconds(text):
    return math.floor(datetime.datetime.fromisoformat(text).timestamp())


def organisation(subject):
    parts = re.split(r"(?<!\\)[,+]", subject)
    found = [part[2:].replace("\\", "") for part in parts if part.startswith("O=")]
    return found[0] if found else subject


# --- The recording


class Observations(list):
    """One recording; what is worked out from all of it is kept."""

    __hash__ = object.__hash__


def read(folder):
    def lines(name):
        return [json.loads(line) for line in (folder / name).read_text().splitlines() if line]

    certificates = {record["certificate_sha256"]: record for record in lines("certificates.ndjson")}
    observations, contents = [], set()
    for place, record in enumerate(lines("observations.ndjson")):
        if not record.get("chain"):
            continue
        port = record.get("port", 443)
        # What a line says apart from who saw it; a file that was imported twice is one file.
        said = {"label": "genuine", **record, "port": port, "source": None, "note": None}
        content = json.dumps(said, sort_keys=True)
        if content in contents:
            continue
        contents.add(content)
        observations.append({
            "host": (record["host"], port), "first": seconds(record.get("first") or record["time"]),
            "last": seconds(record.get("last") or record["time"]), "certificates": tuple(record["chain"]),
            "keys": [certificates[c]["spki_sha256"] for c in record["chain"]],
            "owners": [organisation(certificates[c]["subject"]) for c in record["chain"]],
            "label": record.get("label", "genuine"), "next": record.get("next_keys") or [], "place": place,
            "expiry": seconds(certificates[record["chain"][0]]["not_after"]),
            "leak": seconds(record["previous_key_leaked"]) if record.get("previous_key_leaked") else None,
        })
    observations.sort(key=lambda o: (o["first"], o["last"], o["place"]))
    return Observations(observations)


# --- Strategies: a list of (kind, value); kind "leaf" and "certificate" look at the leaf alone


def issuer(o):
    return o["keys"][min(1, len(o["keys"]) - 1)]


@functools.cache
def authorities(everything):
    """Of all observations: whose each authority's key is, and which keys stood below it in some chain."""
    owner_of, below = {}, {}
    # Whose a key is, the first chain with it tells, of whatever kind that chain is.
    for o in everything:
        for place in range(1, len(o["keys"])):
            owner_of.setdefault(o["keys"][place], o["owners"][place])
            below.setdefault(o["keys"][place], set()).update(o["keys"][1:place])
    return owner_of, below


@functools.cache
def authorities_by_sight(everything):
    """When each authority's key was first seen in a genuine chain, in that order."""
    sights = {}
    for o in everything:
        for key in o["keys"][1:] if o["label"] == "genuine" else ():
            sights.setdefault(key, o["first"])
    return sights


def organisation_keys(past, now, everything):
    latest = past[-1]
    if len(latest["keys"]) < 2:
        return [("any", issuer(latest))]
    owner_of, _ = authorities(everything)
    keys = [key for key, first in authorities_by_sight(everything).items()
            if first <= now and owner_of[key] == latest["owners"][1]]
    return [("any", key) for key in dict.fromkeys(keys + [issuer(latest)])]


STRATEGIES = {
    "leaf-certificate": lambda past, now, all: [("certificate", past[-1]["certificates"][0])],
    "leaf-key": lambda past, now, all: [("leaf", past[-1]["keys"][0])],
    "leaf-key+next": lambda past, now, all: [("leaf", k) for k in [past[-1]["keys"][0]] + past[-1]["next"]],
    "issuer-key": lambda past, now, all: [("any", issuer(past[-1]))],
    "issuers-365d": lambda past, now, all: [
        ("any", k) for k in dict.fromkeys(
            [issuer(past[-1])] + [issuer(o) for o in issuers_window(past, now)])],
    "organisation": organisation_keys,
    "root-key": lambda past, now, all: [("any", past[-1]["keys"][-1])],
    "roots-seen": lambda past, now, all: [("any", k) for k in dict.fromkeys(o["keys"][-1] for o in past)],
}


def issuers_window(past, now):
    """Back from the latest to the first one that was last seen before the window."""
    return itertools.takewhile(lambda o: o is past[-1] or o["last"] >= now - 365 * DAY, reversed(past))


def accepts(pins, o):
    return any(
        value == o["certificates"][0] if kind == "certificate" else value == o["keys"][0] if kind == "leaf"
        else value in o["keys"]
        for kind, value in pins)


# --- Update curves


def share(curve, days):
    if curve["curve"] == "immediate":
        return 1.0 if days >= 0 else 0.0
    if days <= 0:
        return 0.0
    if curve["curve"] == "exponential":
        return 1 - 0.5 ** (days / curve["halfLifeDays"])
    points = [(0, 0)] + [(p["days"], p["share"]) for p in curve["points"]]
    for (d0, s0), (d1, s1) in zip(points, points[1:]):
        if days < d1:
            return s0 + (s1 - s0) * (days - d0) / (d1 - d0)
    return points[-1][1]


def area(curve, days):
    """The integral of the share from 0."""
    if days <= 0:
        return 0.0
    if curve["curve"] == "immediate":
        return days
    if curve["curve"] == "exponential":
        rate = math.log(2) / curve["halfLifeDays"]
        return days + math.expm1(-rate * days) / rate
    # Exact on straight lines: trapezia between all corners.
    corners = sorted({0.0, days, *(float(p["days"]) for p in curve["points"] if p["days"] < days)})
    total = 0.0
    for a, b in zip(corners, corners[1:]):
        middle = share(curve, (a + b) / 2)
        total += (b - a) * middle
    return total


# --- One strategy at one host


def lives(captures, pins_at, gridDays):
    end = max(o["last"] for o in captures)
    if gridDays is None:
        starts = [(o["first"], index + 1) for index, o in enumerate(captures)]
    else:
        starts, time = [], captures[0]["first"]
        while time <= end:
            starts.append((time, sum(o["first"] <= time for o in captures)))
            time += gridDays * DAY
    result = []
    for start, count in starts:
        pins = pins_at(count, start)
        for index in range(count, len(captures)):
            if not accepts(pins, captures[index]):
                dead = max(0, captures[index]["first"] - start)
                result.append((min(dead, max(0, captures[index - 1]["last"] - start)), dead))
                break
        else:
            result.append((max(0, end - start), None))
    return result


def locked_out(captures, releases, curve, early):
    """User-days, every capture a change and a release of its own: nothing is merged."""
    total, end, previous = 0.0, max(o["last"] for o in captures), captures[0]["first"]
    runs = []
    for index, o in enumerate(captures):
        if index and o["certificates"] == captures[index - 1]["certificates"]:
            continue
        start = o["first"] if index == 0 or not early else min(captures[index - 1]["last"], o["first"])
        start = max(start, runs[-1][0]) if runs and early else start
        runs.append((start, o))
    for index, (start, o) in enumerate(runs):
        stop = runs[index + 1][0] if index + 1 < len(runs) else end
        if stop <= start:
            continue
        for number, (time, pins) in enumerate(releases):
            if accepts(pins, o):
                continue

            def reached(release):
                since = release[0]
                return area(curve, (stop - since) / DAY) - area(curve, (start - since) / DAY)

            have = (stop - start) / DAY if number == 0 else reached(releases[number])
            newer = reached(releases[number + 1]) if number + 1 < len(releases) else 0.0
            total += have - newer
    return total


def exposure(pins, own, everything):
    """Own: the key that the host has now, whose thief needs no authority."""
    owner_of, below = authorities(everything)
    keys = {own}
    for kind, value in pins:
        if kind == "certificate":
            value = next(o["keys"][0] for o in everything if o["certificates"][0] == value)
        keys.add(value)
        if kind == "any":
            keys |= below.get(value, set())
    above = keys & set(below)
    return {"keys": len(keys), "authorities": len(above), "organisations": len({owner_of[k] for k in above})}


def replay(rule, host, everything, parameters):
    mine = [o for o in everything if o["host"] == host]
    captures = [o for o in mine if o["label"] == "genuine"]

    def pins_at(count, now):
        return rule(captures[:count], now, everything)

    pins = [pins_at(index + 1, o["first"]) for index, o in enumerate(captures)]
    reaction = round(parameters["reactionDays"] * DAY)
    releases = [(o["first"] + (reaction if index else 0), pins[index]) for index, o in enumerate(captures)]
    start, end = captures[0]["first"], max(o["last"] for o in captures)
    record = {
        "lives": lives(captures, pins_at, parameters.get("gridDays")),
        "outages": sum(not accepts(pins[index - 1], captures[index]) for index in range(1, len(captures))),
        "observed": (end - start) / DAY, "pins": len(pins[-1]), "mostPins": max(map(len, pins)),
        "exposure": exposure(pins[-1], captures[-1]["keys"][0], everything), "impostors": [],
    }
    for name, curve in (("hostDays", {"curve": "immediate"}), ("userDays", parameters)):
        record[name] = {"early": locked_out(captures, releases, curve, True), "late": locked_out(captures, releases, curve, False)}
    finish = max(o["last"] for o in mine)
    for o in mine:
        if o["label"] == "genuine":
            continue
        current = max([i for i, (time, _) in enumerate(releases) if time <= o["first"]], default=0)
        accepted = accepts(releases[current][1], o)
        closing = next((time for time, p in releases[current + 1:] if not accepts(p, o)), None)
        until = closing if closing is not None else max(finish, o["first"])
        record["impostors"].append((o["label"], accepted, (until - o["first"]) / DAY if accepted else 0, closing is not None or not accepted))
    record["leaks"] = leaks(captures, releases, finish, parameters)
    return record


def leaks(captures, releases, finish, parameters):
    """From the leak to the end of the thief's chain: who has which release, and whether it accepts that chain."""
    found, seen = [], set()
    for index, o in enumerate(captures):
        earlier = [c for c in captures[:index] if c["keys"][0] != o["keys"][0]]
        if o["leak"] is None or o["leak"] in seen or not earlier:
            continue
        seen.add(o["leak"])
        thief, end = earlier[-1], min(earlier[-1]["expiry"], finish)
        days = {"window": 0.0, "user": 0.0}
        if o["leak"] < end:
            for name, curve in (("window", {"curve": "immediate"}), ("user", parameters)):
                have = [(end - o["leak"]) / DAY if number == 0 else
                        area(curve, (end - time) / DAY) - area(curve, (o["leak"] - time) / DAY)
                        for number, (time, _) in enumerate(releases)] + [0.0]
                days[name] = sum(have[number] - have[number + 1]
                                 for number, (_, pins) in enumerate(releases) if accepts(pins, thief))
        current = max([i for i, (time, _) in enumerate(releases) if time <= end], default=0)
        found.append((days["window"], days["user"], o["leak"] < end and not accepts(releases[current][1], thief)))
    return found


# --- Statistics


class SplitMix:
    def __init__(self, seed):
        self.state = seed

    def host(self, hosts):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & mask
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & mask
        mixed ^= mixed >> 31
        return int(hosts * ((mixed >> 11) / 2 ** 53))


def band(values):
    if not values:
        return None
    ordered = sorted(values)

    def at(tail):
        rank = max(1, math.ceil(round(tail * len(ordered), 9)))
        value = ordered[min(rank, len(ordered)) - 1]
        return value if math.isfinite(value) else None

    return {"low": at(0.025), "high": at(0.975)}


def naive_curve(lives_of_hosts, weights, late):
    """The product-limit estimate with every life as often as its host was drawn."""
    died, gone = collections.Counter(), collections.Counter()
    for host, weight in zip(lives_of_hosts, weights):
        for alive, dead in host if weight else ():
            end = (dead if late else alive) if dead is not None else alive
            gone[end] += weight
            if dead is not None:
                died[end] += weight
    steps, survival, at_risk = [], 1.0, sum(gone.values())
    for time in sorted(gone):
        if died[time]:
            survival *= 1 - died[time] / at_risk
            steps.append((time / DAY, survival))
        at_risk -= gone[time]
    return steps


def median_of(steps):
    return next((days for days, survival in steps if survival <= 0.5 + 1e-12), math.inf)


def survival_at(steps, days):
    return next((survival for at, survival in reversed(steps) if at <= days), 1.0)


def restricted_mean(steps):
    total, before, level = 0.0, 0.0, 1.0
    for days, survival in steps + [(math.inf, 0)]:
        total += level * max(0.0, min(days, HORIZON) - min(before, HORIZON))
        before, level = days, survival
    return total


def estimate(lives_of_hosts, late, draws):
    flat = [life for host in lives_of_hosts for life in host]
    durations = [((dead if late else alive) if dead is not None else alive) / DAY for alive, dead in flat]
    events = [dead is not None for _, dead in flat]
    fitter = KaplanMeierFitter().fit(durations, events)
    ended = {duration for duration, event in zip(durations, events) if event}
    curve = fitter.survival_function_["KM_estimate"]
    steps = [{"days": float(days), "survival": float(value)} for days, value in curve.items() if days in ended]
    median = float(fitter.median_survival_time_)
    drawn = [naive_curve(lives_of_hosts, weights, late) for weights in draws]
    return {
        "steps": steps, "median": median if math.isfinite(median) else None,
        "restrictedMean": float(restricted_mean_survival_time(fitter, t=HORIZON)),
        "medianBand": band([median_of(curve) for curve in drawn]),
        "restrictedMeanBand": band([restricted_mean(curve) for curve in drawn]),
        "bands": [band([survival_at(curve, days) for curve in drawn]) for days in GRID] if drawn else [],
    }


def proportion(count, total):
    if not total:
        return {"count": 0, "total": 0, "wilson": None, "ruleOfThree": None}
    # The roots of (p - share)^2 = z^2 p (1 - p) / n, which is how Wilson defines the interval.
    z2, p = 1.959963984540054 ** 2, count / total
    a, b, c = 1 + z2 / total, -(2 * p + z2 / total), p * p
    root = math.sqrt(max(0.0, b * b - 4 * a * c))
    low, high = (-b - root) / (2 * a), (-b + root) / (2 * a)
    return {"count": count, "total": total,
            "wilson": {"low": 0 if count == 0 else low, "high": 1 if count == total else high},
            "ruleOfThree": min(1, 3 / total) if count == 0 else None}


def yearly(record, bound):
    return record["userDays"][bound] * 365 / record["observed"] if record["observed"] else 0.0


def mean(values):
    return sum(values) / len(values) if values else 0.0


def mean_band(values, draws):
    return band([sum(w * v for w, v in zip(weights, values)) / len(values) for weights in draws])


def report_of(name, records, draws):
    impostors = {}
    for label in ("rogue", "mis-issued", "distrusted"):
        seen = [[i for i in r["impostors"] if i[0] == label] for r in records]
        seen = [host for host in seen if host]
        accepted = [i for host in seen for i in host if i[1]]
        impostors[label] = {
            "seen": sum(map(len, seen)), "accepted": len(accepted),
            "hosts": proportion(sum(any(i[1] for i in host) for host in seen), len(seen)),
            "meanOpenDays": mean([i[2] for i in accepted]) if accepted else None,
            "neverClosed": sum(not i[3] for i in accepted),
        }
    lost = [leak for r in records for leak in r["leaks"]]
    all_lives = [r["lives"] for r in records]
    late = [yearly(r, "late") for r in records]
    return {
        "name": name,
        "survival": {
            "starts": sum(map(len, all_lives)), "failures": sum(d is not None for host in all_lives for _, d in host),
            "early": estimate(all_lives, False, draws), "late": estimate(all_lives, True, draws),
        },
        "outages": {
            "count": sum(r["outages"] for r in records),
            "hosts": proportion(sum(r["outages"] > 0 for r in records), len(records)),
            "observedHostDays": sum(r["observed"] for r in records),
            "hostDays": {b: sum(r["hostDays"][b] for r in records) for b in ("early", "late")},
            "userDays": {b: sum(r["userDays"][b] for r in records) for b in ("early", "late")},
            "userDaysPerHostYear": {b: mean([yearly(r, b) for r in records]) for b in ("early", "late")},
            "userDaysPerHostYearBand": mean_band(late, draws),
        },
        "exposure": {
            **{k: mean([r["exposure"][k] for r in records]) for k in ("keys", "authorities", "organisations")},
            "keysBand": mean_band([r["exposure"]["keys"] for r in records], draws),
            "mostKeys": max(r["exposure"]["keys"] for r in records), "impostors": impostors,
            "leaks": {
                "count": len(lost), "hosts": sum(bool(r["leaks"]) for r in records),
                "closedByPins": sum(leak[2] for leak in lost), "meanWindowDays": mean([leak[0] for leak in lost]),
                "longestWindowDays": max(leak[0] for leak in lost), "meanUserDays": mean([leak[1] for leak in lost]),
            } if lost else None,
        },
        "cost": {"pins": mean([r["pins"] for r in records]), "mostPins": max(r["mostPins"] for r in records)},
    }


def compare(one, other, records, draws):
    differences = [yearly(a, "late") - yearly(b, "late") for a, b in zip(records[one], records[other])]
    worse, better = sum(d > TIE for d in differences), sum(d < -TIE for d in differences)
    n = worse + better
    tail = sum(math.comb(n, k) for k in range(min(worse, better) + 1))
    return {"one": one, "other": other, "userDaysPerHostYear": mean(differences), "band": mean_band(differences, draws),
            "signTest": min(1, 2 * tail / 2 ** n) if n else 1}


def main():
    observations = read(pathlib.Path(sys.argv[1]))
    parameters = json.loads(sys.argv[2])
    hosts = sorted({o["host"] for o in observations if o["label"] == "genuine"}, key=lambda h: (h[0].encode(), h[1]))
    generator = SplitMix(parameters["seed"])
    draws = []
    for _ in range(parameters["resamplings"]):
        weights = [0] * len(hosts)
        for _ in hosts:
            weights[generator.host(len(hosts))] += 1
        draws.append(weights)
    records = {name: [replay(rule, host, observations, parameters) for host in hosts] for name, rule in STRATEGIES.items()}
    strategies = [report_of(name, records[name], draws) for name in STRATEGIES]
    for s in strategies:
        def point(x):
            return x["outages"]["userDaysPerHostYear"]["late"], x["exposure"]["keys"]
        s["isOnFront"] = not any(
            point(o)[0] <= point(s)[0] + TIE and point(o)[1] <= point(s)[1]
            and (point(o)[0] < point(s)[0] - TIE or point(o)[1] < point(s)[1]) for o in strategies)
    comparisons = [compare(a, b, records, draws) for a, b in itertools.combinations(STRATEGIES, 2)]
    print(json.dumps({"hosts": len(hosts), "strategies": strategies, "comparisons": comparisons}))


main()
