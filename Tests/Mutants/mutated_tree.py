"""The copy of the tree that has all mutants, each behind a switch: makes and builds it."""
import os
import re
import shutil
import subprocess

from mutants import ROOT, stop

COPY = os.path.join(ROOT, ".build", "mutants", "tree")
LOG = os.path.join(ROOT, ".build", "mutants", "build.log")
VARIABLE = "SALLYPORT_MUTANT"
# Builds after which mutants that do not compile are no longer left out: each shows the errors of some targets.
MOST_BUILDS = 12
# Without Foundation, which most targets do not link.
SWITCH = f"""\
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

private let activeMutant: Int32 = unsafe getenv("{VARIABLE}").map {{ unsafe atoi($0) }} ?? 0

@usableFromInline func mutantIsOn(_ number: Int32) -> Bool {{ number == activeMutant }}
"""
# At the end of the copy's manifest. What no suite of a mutant needs is not built: half of all targets.
ONLY_NEEDED = """
package.products = []
var needed: Set<String> = [%s]
var toVisit = needed
while let name = toVisit.popFirst() {
    for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
        if case .byNameItem(let other, _) = dependency, needed.insert(other).inserted { toVisit.insert(other) }
    }
}
package.targets.removeAll { !needed.contains($0.name) }
"""


def build(mutants):
    """Builds the tests with these mutants; returns those that compile."""
    suites = {name.split(".")[0] for mutant in mutants for name in mutant.seen_by}
    for _ in range(MOST_BUILDS):
        texts = make(mutants, suites)
        with open(LOG, "w") as log:
            status = subprocess.run(["swift", "build", "--build-tests"], cwd=COPY, stdout=log, stderr=log).returncode
        if status == 0:
            return mutants
        bad = {}
        with open(LOG) as log:
            for path, line, text in re.findall(r"^(\S+\.swift):(\d+):\d+: error: (.*)", log.read(), re.MULTILINE):
                file = os.path.relpath(os.path.realpath(path), os.path.realpath(COPY))
                for number in numbers_at(texts.get(file, ""), int(line)):
                    bad.setdefault(number, text)
        if not bad:
            stop(f"the copy does not build, see {os.path.relpath(LOG, ROOT)}")
        for mutant in mutants:
            if mutant.number in bad:
                print(f"{mutant.id}: does not compile: {bad[mutant.number]}", flush=True)
        mutants = [mutant for mutant in mutants if mutant.number not in bad]
    stop(f"the copy does not build after {MOST_BUILDS} attempts, see {os.path.relpath(LOG, ROOT)}")


def numbers_at(text, line):
    """The mutants at a line, or the last one above it: the place of a mutant may have several lines."""
    pattern = re.compile(r"mutantIsOn\((\d+)\)")
    rows = text.split("\n")[:line]
    here = pattern.findall(rows[-1]) if rows else []
    return [int(number) for number in here or pattern.findall("\n".join(rows))[-1:]]


def make(mutants, suites):
    """Makes the copy as the tree is now, with these mutants; returns the texts that differ from the tree's.

    `suites` are the test targets that are built.
    """
    os.makedirs(COPY, exist_ok=True)
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    # Not committed, but with it both trees have the same versions of other packages.
    listed.append("Package.resolved")
    paths = {path for path in listed if path and os.path.isfile(os.path.join(ROOT, path))}
    texts = changed(mutants)
    with open(os.path.join(ROOT, "Package.swift")) as file:
        texts["Package.swift"] = file.read() + ONLY_NEEDED % ", ".join(f'"{name}"' for name in sorted(suites))
    for path in paths - set(texts):
        with open(os.path.join(ROOT, path), "rb") as file:
            write(os.path.join(COPY, path), file.read())
        shutil.copymode(os.path.join(ROOT, path), os.path.join(COPY, path))
    for path, text in texts.items():
        write(os.path.join(COPY, path), text.encode())
    for folder, folders, files in os.walk(COPY):
        folders[:] = [name for name in folders if name not in (".build", ".git")]
        for path in (os.path.join(folder, name) for name in files):
            if os.path.relpath(path, COPY) not in paths | set(texts):
                os.remove(path)
    return texts


def changed(mutants):
    """The texts of all files that have mutants, and of the switches, by their paths."""
    texts = {}
    for file in {mutant.file for mutant in mutants}:
        with open(os.path.join(ROOT, file)) as source:
            text = source.read()
        for mutant in sorted((one for one in mutants if one.file == file), key=lambda one: -one.start):
            text = text[: mutant.start] + mutant.code + text[mutant.end :]
        texts[file] = text
        texts[os.path.join(target_folder(file), "MutantSwitch.swift")] = SWITCH
    return texts


def target_folder(path):
    """The folder of the target that `path` belongs to: a child of the deepest folder that Package.swift names."""
    with open(os.path.join(ROOT, "Package.swift")) as file:
        folders = re.findall(r'Folder\("([^"]+)"\)', file.read())
    parent = max((folder for folder in folders if path.startswith(folder + "/")), key=len)
    return os.path.join(parent, path[len(parent) + 1 :].split("/")[0])


def write(path, content):
    """Writes only what differs, so that the build sees no change where there is none."""
    try:
        with open(path, "rb") as file:
            if file.read() == content:
                return
    except OSError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)
