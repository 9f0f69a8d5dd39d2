"""The data of Tests/Mutants: reads and checks it."""
import collections
import dataclasses
import os
import re
import sys
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# One mutant in so many may have a reason to survive.
REASONS_ONE_IN = 20


@dataclasses.dataclass
class Mutant:
    id: str
    file: str
    before: str
    after: str
    why: str
    seen_by: list
    at: str = ""
    kind: str = "expression"
    survives: str = ""
    # What the switch is set to; 0 is no mutant.
    number: int = 0
    # Where `before` is in the file.
    start: int = 0

    @property
    def end(self):
        return self.start + len(self.before)

    @property
    def filters(self):
        return ["^" + re.escape(name) + (r"\(" if "/" in name else "/") for name in self.seen_by]

    @property
    def code(self):
        if self.kind == "statement":
            return f"if mutantIsOn({self.number}) {{ {self.after} }} else {{ {self.before} }}"
        return f"(mutantIsOn({self.number}) ? ({self.after}) : ({self.before}))"


def stop(text):
    print(f"mutants: {text}", file=sys.stderr)
    sys.exit(2)


def checked():
    """All mutants with their places. Ends the program if one is not as it should be."""
    mutants, problems = read_all()
    for name, count in collections.Counter(mutant.id for mutant in mutants).items():
        if count > 1:
            problems.append(f"{name}: {count} mutants have this id")
    texts, suites = {}, Suites()
    for mutant in mutants:
        problems += [f"{mutant.id}: {problem}" for problem in problems_of(mutant, texts, suites)]
    ordered = sorted(mutants, key=lambda mutant: (mutant.file, mutant.start))
    for one, two in zip(ordered, ordered[1:]):
        if one.file == two.file and two.start < one.end:
            problems.append(f"{one.id} and {two.id} change the same place")
    reasons = sum(1 for mutant in mutants if mutant.survives)
    if reasons * REASONS_ONE_IN > len(mutants):
        problems.append(f"{reasons} of {len(mutants)} mutants have a reason to survive, one in {REASONS_ONE_IN} may")
    if problems:
        print("\n".join(problems), file=sys.stderr)
        sys.exit(2)
    return mutants


def read_all():
    """The mutants of all files, in their order, and what is wrong with the files."""
    mutants, problems = [], []
    names = {"seen-by": "seen_by", "as": "kind"}
    known = {field.name for field in dataclasses.fields(Mutant)} - {"number", "start"}
    needed = {"id", "file", "before", "after", "why", "seen_by"}
    for data in sorted(name for name in os.listdir(HERE) if name.endswith(".toml")):
        try:
            with open(os.path.join(HERE, data), "rb") as file:
                entries = tomllib.load(file).get("mutant", [])
        except tomllib.TOMLDecodeError as error:
            problems.append(f"Tests/Mutants/{data}: {error}")
            continue
        for entry in entries:
            values = {names.get(key, key): value for key, value in entry.items()}
            wrong = [f"unknown key {key}" for key in values if key not in known]
            wrong += [f"missing key {key}" for key in sorted(needed - set(values))]
            problems += [f"Tests/Mutants/{data}: {entry.get('id')}: {text}" for text in wrong]
            if not wrong:
                mutants.append(Mutant(**values, number=len(mutants) + 1))
    return mutants, problems


def problems_of(mutant, texts, suites):
    """What is wrong with one mutant. Sets its place."""
    if mutant.kind not in ("expression", "statement"):
        yield '`as` is "statement", or absent'
    # Around a statement the switch of an expression does not compile, and such a mutant counts as one that survives.
    if mutant.kind == "expression" and re.match(r"(case|guard|if|let|return|throw|var)\b", mutant.before):
        yield '`before` is a statement: set `as`, or leave out its first word'
    if mutant.before.strip() == mutant.after.strip():
        yield "`after` changes nothing"
    if not mutant.seen_by:
        yield "`seen-by` is empty"
    for name in mutant.seen_by:
        if problem := suites.problem(name):
            yield problem
    if mutant.file not in texts:
        try:
            with open(os.path.join(ROOT, mutant.file)) as file:
                texts[mutant.file] = file.read()
        except OSError as error:
            yield f"{mutant.file}: {error.strerror}"
            return
    around, name = (mutant.at, "at") if mutant.at else (mutant.before, "before")
    if (count := texts[mutant.file].count(around)) != 1:
        yield f"`{name}` occurs {count} times in {mutant.file}: make it longer, or correct it"
        return
    if (count := around.count(mutant.before)) != 1:
        yield f"`before` occurs {count} times in `at`"
        return
    mutant.start = texts[mutant.file].index(around) + around.index(mutant.before)


class Suites:
    """The suites of all test targets."""

    def __init__(self):
        self.sources = collections.defaultdict(str)
        self.known = {}
        for folder, _, files in os.walk(os.path.join(ROOT, "Tests")):
            wing, _, rest = os.path.relpath(folder, os.path.join(ROOT, "Tests")).partition(os.sep)
            is_tested = wing == "RepositoryTests" or rest.find("Tests") > 0
            target = f"{wing.removesuffix('Tests')}Tests" if is_tested else None
            for name in files if target else []:
                if name.endswith(".swift"):
                    with open(os.path.join(folder, name)) as file:
                        self.sources[target] += file.read()

    def problem(self, name):
        """What is wrong with a name TARGET.SUITE or TARGET.SUITE/TEST; None if there is such a suite."""
        if name not in self.known:
            self.known[name] = self.look_for(name)
        return self.known[name]

    def look_for(self, name):
        match = re.fullmatch(r"(\w+)\.(\w+)(?:/(\w+))?", name)
        if not match:
            return f"{name} is not TARGET.SUITE or TARGET.SUITE/TEST"
        target, suite, test = match.groups()
        if target not in self.sources:
            return f"no test target is called {target}"
        if not re.search(rf"\b(?:struct|class|enum|actor) {suite}\b", self.sources[target]):
            return f"{target} has no suite {suite}"
        if test and not re.search(rf"\bfunc {test}\b", self.sources[target]):
            return f"{target} has no test {test}"
        return None
