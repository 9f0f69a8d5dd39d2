import Foundation
import LiveServers
import Testing

/// The command beside the helpers that come with Git: `git credential-store` and `git credential-cache`.
@Suite(
    .inTurn,
    .enabled(if: GitRun.isUsable && PythonTerminal.isUsable, "git or python3 is missing: apt-get install git python3")
)
struct GitHelperAgreementTests {
    /// What Git is asked, in order: an operation of `git credential`, and lines that commas separate. The protocol is https if no
    /// line names one.
    private struct Case {
        let title: String
        var usesPath = true
        /// Whether the cache counts: before Git 2.42 it forgets only one of the records that match.
        var isForCache = true
        let steps: [String]
    }

    private static let one = "host=a.example, path=acme/one.git"
    private static let two = "host=a.example, path=acme/two.git"

    private static let cases = [
        Case(
            title: "each path has its own record, and no other path gets it",
            steps: [
                "approve \(one), username=u, password=SECRET1", "approve \(two), username=u, password=SECRET2",
                "fill \(one)", "fill \(two)", "fill \(one), username=u", "fill \(one), username=v",
                "fill host=a.example, path=acme/three.git", "fill host=a.example, path=acme",
                "fill host=a.example, path=",
                "fill \(one)/", "fill \(one)/info", "fill host=a.example, path=/acme/one.git",
                "fill host=a.example, path=Acme/one.git", "fill host=a.example:8443, path=acme/one.git",
                "fill protocol=http, \(one)", "fill url=https://a.example/acme/one.git/",
            ]
        ),
        Case(
            title: "a record without a path is not for a path; one with a path is for a question without one",
            steps: [
                "approve host=a.example, username=u, password=SECRET1", "fill host=a.example", "fill \(one)",
                "approve host=b.example, path=x, username=u, password=SECRET2", "fill host=b.example",
            ]
        ),
        Case(
            title: "without useHttpPath the path does not matter",
            usesPath: false,
            steps: ["approve \(one), username=u, password=SECRET1", "fill \(two)", "reject \(two)", "fill \(one)"]
        ),
        Case(
            title: "a newer password replaces the one of its path",
            steps: [
                "approve \(one), username=u, password=SECRET1", "approve \(two), username=u, password=SECRET2",
                "approve \(one), username=u, password=SECRET3", "fill \(one)", "fill \(two)",
            ]
        ),
        Case(
            title: "reject takes what matches: a path, a user",
            steps: [
                "approve host=a.example, username=u, password=SECRET1", "approve \(one), username=u, password=SECRET2",
                "approve \(two), username=u, password=SECRET3", "approve \(two), username=v, password=SECRET4",
                "reject \(one)", "fill \(one)", "fill \(two), username=u", "reject \(two), username=v",
                "fill \(two), username=v", "fill \(two), username=u", "reject host=b.example",
                "fill \(two), username=u",
            ]
        ),
        Case(
            title: "reject of a host takes all its records",
            isForCache: false,
            steps: [
                "approve host=a.example, username=u, password=SECRET1", "approve \(one), username=u, password=SECRET2",
                "approve \(two), username=v, password=SECRET3", "approve host=b.example, username=u, password=SECRET4",
                "reject host=a.example", "fill host=a.example", "fill \(one)", "fill \(two)", "fill host=b.example",
            ]
        ),
        Case(
            title: "reject with a password takes the record that has it",
            steps: [
                "approve \(one), username=u, password=SECRET1", "approve \(two), username=u, password=SECRET1",
                "reject \(one), username=u, password=SECRET1", "fill \(one)", "fill \(two)",
            ]
        ),
        Case(
            title: "a user name may be empty, or hold a backslash, a colon or an at sign",
            steps: [
                "approve host=a.example, username=, password=SECRET1", "fill host=a.example",
                "fill host=a.example, username=", "fill host=a.example, username=u",
                #"fill host=a.example, username=\"#,
            ]
                + [#"\jdoe"#, #"ACME\jdoe"#, #"a\b\c"#, #"ACME\"#, "u:v", "u@v.example", "\u{FC} \u{E9}"].enumerated()
                .flatMap {
                    [
                        "approve host=h\($0).example, username=\($1), password=SECRET2", "fill host=h\($0).example",
                        "fill host=h\($0).example, username=\($1)",
                    ]
                }
        ),
        Case(
            title: "an international host, an address and a port",
            steps: ["b\u{FC}cher.example", "b\u{FC}cher.example:8443", "[::1]:8443", "192.0.2.1", "xn--fa-hia.example"]
                .flatMap { ["approve host=\($0), username=u, password=SECRET1", "fill host=\($0)"] }
        ),
        Case(
            title: "a path may hold blanks and characters of URLs",
            steps: [#"a b/\#u{FC}%?x#y"#, "a%2Fb", "a//b", "..", "a=b"].flatMap {
                ["approve host=a.example, path=\($0), username=u, password=SECRET1", "fill host=a.example, path=\($0)"]
            } + ["fill host=a.example, path=a/b"]
        ),
        Case(
            title: "Git reads a URL, and trims the slashes of its path",
            steps: [
                "approve url=https://u:SECRET1@a.example//acme/one.git/", "fill \(one)",
                "fill url=https://a.example/acme/one.git", "reject url=https://u@a.example/acme/one.git", "fill \(one)",
            ]
        ),
    ]

    @Test("Approve, fill and reject do what Git's own helpers do", arguments: cases.indices)
    func agreement(index: Int) throws {
        let folder = try StoreFolder()
        #expect(try folder.run(["add", "https://other.example", "--user", "o", "--stdin"], input: "other").status == 0)
        let sockets = folder.path("sockets")
        // The daemon would hold the descriptor by which Foundation sees the end of the process; Python closes it.
        try folder.write(
            """
            #!/usr/bin/env python3
            import subprocess, sys
            command = ["git", "credential-cache", "--timeout=3600", "--socket=\(sockets)/socket"]
            sys.exit(subprocess.run(command + sys.argv[1:]).returncode)

            """,
            "cache",
            mode: 0o700
        )
        let oracles = [
            "store --file='\(folder.path("kept"))'", "!'\(folder.path("cache"))'",
        ]
        defer {
            _ = try? GitRun(["credential-cache", "--socket=\(sockets)/socket", "exit"], in: folder)
        }
        let tried = Self.cases[index]
        for step in tried.steps {
            let (verb, lines) = try #require(step.firstIndex(of: " ").map { (step[..<$0], step[$0...].dropFirst()) })
            let named = lines.contains("protocol=") || lines.contains("url=") ? "" : "protocol=https\n"
            let request = lines.replacing(", ", with: "\n").replacing("SECRET", with: "hunter")
            func run(_ helper: String?) throws -> String {
                let arguments = ["-c", "credential.useHttpPath=\(tried.usesPath)", "credential", String(verb)]
                let run = try GitRun(arguments, in: folder, input: "\(named)\(request)\n\n", helper: helper)
                return run.status == 0 ? "answer: \(run.output)" : "no answer"
            }
            let own = try run(nil)
            for oracle in oracles.prefix(tried.isForCache ? 2 : 1) {
                let other = try run(oracle)
                #expect(own == other, "\(tried.title): \(step), beside \(oracle.prefix(5)): \(own) instead of \(other)")
            }
        }
    }

    @Test("Fields of a server in Latin-1 pass, as with Git's own helper") func latin1() throws {
        let folder = try StoreFolder()
        #expect(try folder.run(["add", "https://a.example", "--user", "u", "--stdin"], input: "hunter2").status == 0)
        try folder.write("https://u:hunter2@a.example\n", "kept")
        let request =
            Array("protocol=https\nhost=a.example\nwwwauth[]=Basic realm=\"Z".utf8) + [0xFC] + Array("rich\"\n\n".utf8)
        let own = try folder.plain(["git", "get", "--key-file", folder.path("key")], input: request)
        let other = try SallyportRun(
            ["credential-store", "--file=\(folder.path("kept"))", "get"],
            input: request,
            environment: folder.environment,
            program: GitRun.git
        )
        #expect(own.status == 0 && other.status == 0 && own.error.isEmpty)
        let lines = other.output.split(separator: "\n")
        #expect(lines == ["username=u", "password=hunter2"])
        #expect(own.output.split(separator: "\n").suffix(2) == lines[...])
    }
}
