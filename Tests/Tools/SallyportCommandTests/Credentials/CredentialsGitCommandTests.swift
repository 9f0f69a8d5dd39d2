import Foundation
import LiveServers
import TestSupport
import Testing

/// Git with the command as its credential helper.
@Suite(
    .inTurn,
    .enabled(if: GitRun.isUsable && PythonTerminal.isUsable, "git or python3 is missing: apt-get install git python3")
)
struct CredentialsGitCommandTests {
    private func made() throws -> StoreFolder {
        let folder = try StoreFolder()
        for (url, user, secret) in [
            ("https://a.example", #"ACME\jdoe"#, "s3cret"), ("https://a.example:8443", "other", "s4cret"),
        ] {
            #expect(try folder.run(["add", url, "--user", user, "--stdin"], input: secret).status == 0)
        }
        return folder
    }

    @Test("git credential fill gets user and password of the host, the port and the user") func fill() throws {
        let folder = try made()
        let found = try GitRun(["credential", "fill"], in: folder, input: "protocol=https\nhost=a.example\n\n")
        #expect(found.lines.contains(#"username=ACME\jdoe"#) && found.lines.contains("password=s3cret"))
        let port = try GitRun(["credential", "fill"], in: folder, input: "protocol=https\nhost=a.example:8443\n\n")
        #expect(port.lines.contains("username=other") && port.lines.contains("password=s4cret"))
        for request in ["host=a.example\nusername=jdoe\n", "host=b.example\n"] {
            let none = try GitRun(["credential", "fill"], in: folder, input: "protocol=https\n\(request)\n")
            #expect(none.status != 0 && !none.output.contains("s3cret"))
        }
        let http = try GitRun(["credential", "fill"], in: folder, input: "protocol=http\nhost=a.example\n\n")
        #expect(http.status != 0, "a password for https is not for http")
    }

    @Test("What Git approves is kept, and what it rejects is forgotten") func approveAndReject() async throws {
        let folder = try made()
        let new = "protocol=https\nhost=new.example\nusername=n\npassword=n3w\n"
        #expect(try GitRun(["credential", "approve"], in: folder, input: new + "\n").status == 0)
        #expect(try await folder.found("https://new.example") == ["password - n n3w"])
        // A password that another process has replaced meanwhile stays.
        let old = "protocol=https\nhost=new.example\nusername=n\npassword=0ld\n"
        #expect(try GitRun(["credential", "reject"], in: folder, input: old + "\n").status == 0)
        #expect(try await folder.found("https://new.example") == ["password - n n3w"])
        #expect(try GitRun(["credential", "reject"], in: folder, input: new + "\n").status == 0)
        #expect(try await folder.found("https://new.example") == [])
        // Without Git, which hands the time on from version 2.40 on only.
        #expect(try folder.run(["git", "store"], input: new + "password_expiry_utc=1\n").status == 0)
        #expect(try await folder.found("https://new.example") == [])
    }

    @Test("What Git got from the store and approves adds no second record") func approvedAgain() throws {
        let folder = try StoreFolder()
        try folder.write("machine a.example login u password p", ".netrc")
        #expect(try folder.run(["import-netrc"]).status == 0)
        let text = "protocol=https\nhost=a.example:8443\nusername=u\npassword=p\n\n"
        #expect(try GitRun(["credential", "approve"], in: folder, input: text).status == 0)
        #expect(try folder.run(["list", "--json"]).output.split(separator: "\n").count == 1)
    }

    @Test("An unknown operation and another protocol get silence, also without a store") func foreign() throws {
        let folder = try StoreFolder()
        for (operation, request) in [
            ("capability", ""), ("get", "protocol=smtp\nhost=a.example\n"), ("store", "protocol=https\nhost=a\n"),
        ] {
            let run = try folder.run(["git", operation], input: request)
            #expect(run.status == 0 && run.output.isEmpty && run.error.isEmpty, "\(run.error)")
        }
        let broken = try folder.run(["git", "get"], input: "protocol=https\nhost=a.example\rpassword=hunter2\n")
        #expect(
            broken.status == 2 && broken.error.split(separator: "\n").count == 1 && !broken.error.contains("hunter2")
        )
    }

    @Test("Git clones from a server behind Basic, and a refused password is forgotten") func clone() async throws {
        let folder = try StoreFolder()
        _ = try GitRun(["init", "-q", "--bare", folder.path("r.git")], in: folder)
        _ = try GitRun(["-C", folder.path("r.git"), "update-server-info"], in: folder)
        let server = try RepositoryServer(folder.folder, user: "jdoe", password: "s3cret")
        let url = "http://127.0.0.1:\(server.port)"
        #expect(try folder.run(["add", url, "--user", "jdoe", "--stdin"], input: "wrong").status == 0)
        #expect(try GitRun(["ls-remote", "\(url)/r.git"], in: folder).status != 0)
        #expect(try await folder.found(url) == [], "Git has erased what the server refused")
        // Now a person knows it, and Git stores what the server accepts.
        try folder.write("#!/bin/sh\ncase $1 in User*) echo jdoe ;; *) echo s3cret ;; esac\n", "ask", mode: 0o700)
        #expect(try GitRun(["ls-remote", "\(url)/r.git"], in: folder, asking: folder.path("ask")).status == 0)
        #expect(try await folder.found(url) == ["password - jdoe s3cret"])
        #expect(try GitRun(["ls-remote", "\(url)/r.git"], in: folder).status == 0)
    }
}

/// One run of Git whose only helper is the command, or `helper`.
struct GitRun {
    let status: Int32
    let output: String
    var lines: [Substring] { output.split(separator: "\n") }

    static let git = URL(filePath: "/usr/bin/git")
    static let isUsable =
        ProcessInfo.processInfo.environment["CI"] == "true" || FileManager.default.isExecutableFile(atPath: git.path)

    init(
        _ arguments: [String],
        in folder: StoreFolder,
        input: String = "",
        asking: String = "",
        helper: String? = nil
    ) throws {
        let own = "!\(SallyportRun.executable.path) credentials git --key-file \(folder.path("key"))"
        try folder.write("[credential]\n\thelper = \"\(helper ?? own)\"\n", "gitconfig")
        let run = try SallyportRun(
            arguments,
            input: input.utf8,
            environment: folder.environment.merging([
                "GIT_CONFIG_GLOBAL": folder.path("gitconfig"), "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
                "GIT_ASKPASS": asking, "SSH_ASKPASS": "", "no_proxy": "*",
            ]) { $1 },
            program: Self.git
        )
        (status, output) = (run.status, run.output)
    }
}

/// Python's HTTP server behind Basic.
private final class RepositoryServer {
    let port: Int
    private let process = Process()
    private let input = Pipe()

    init(_ folder: URL, user: String, password: String) throws {
        let script = HelperFile.path("guarded_repository.py")
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script, folder.path(percentEncoded: false), user, password]
        process.standardInput = input
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
