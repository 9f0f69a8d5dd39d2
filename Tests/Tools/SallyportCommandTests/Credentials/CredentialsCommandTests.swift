import Foundation
import LiveServers
import Testing

@Suite(.inTurn) struct CredentialsCommandTests {
    @Test("The first secret makes key and store at the place of XDG, for their owner only") func firstSecret()
        async throws
    {
        let folder = try StoreFolder()
        let run = try folder.run(
            ["add", "https://wiki.example/", "--user", #"ACME\jdoe"#, "--stdin"],
            input: "\u{FEFF}Pass word\r\n"
        )
        #expect(run.status == 0 && run.error.isEmpty)
        #expect(
            run.output == """
                made the key file \(folder.path("key"))
                made the store \(folder.store)
                kept the password of ACME\\jdoe for https://wiki.example

                """
        )
        #expect(try folder.mode(folder.path("data/sallyport")) == 0o700)
        #expect(try folder.mode(folder.path("data")) == 0o700)
        #expect(try folder.mode(folder.store) == 0o600)
        #expect(try folder.mode(folder.path("key")) == 0o600)
        #expect(try await folder.found("https://wiki.example") == ["password ACME jdoe Pass word"])
    }

    @Test("A relative XDG_DATA_HOME is ignored, and --store names another place") func places() throws {
        let folder = try StoreFolder()
        let add = ["add", "https://a.example", "--user", "u", "--stdin", "--key-file", folder.path("key")]
        let home = ["HOME": folder.path("home"), "XDG_DATA_HOME": "relative"]
        #expect(try folder.plain(add, input: [0x61], environment: home).status == 0)
        #expect(FileManager.default.fileExists(atPath: folder.path("home/.local/share/sallyport/credentials")))
        #expect(try folder.plain(add + ["--store", folder.path("other")], input: [0x61]).status == 0)
        #expect(FileManager.default.fileExists(atPath: folder.path("other")))
        let none = try folder.plain(["list"], environment: ["HOME": "", "XDG_DATA_HOME": ""])
        #expect(none.status == 2 && none.error.contains("HOME and XDG_DATA_HOME are not set"))
    }

    @Test("Each kind is stored as what it is, at a server, a realm or a proxy") func kinds() async throws {
        let folder = try StoreFolder()
        let file = try folder.write("s3cret\r\n", "secret")
        let runs = [
            try folder.run(["add", "https://a.example", "--user", "u", "--realm", "r", "--secret-file", file]),
            try folder.run(["add", "https://a.example", "--kind", "token", "--stdin"], input: "t0ken.~+/="),
            try folder.run(
                ["add", "http://a.example:3128", "--proxy", "--user", "u@d", "--kind", "nt-hash", "--stdin"],
                input: "8846F7EAEE8FB117AD06BDD830B7586C\n"
            ),
        ]
        #expect(runs.map(\.status) == [0, 0, 0])
        #expect(
            try await folder.found("https://a.example", realm: "r") == ["password - u s3cret", "token -  t0ken.~+/="]
        )
        #expect(try await folder.found("https://a.example", realm: "q") == ["token -  t0ken.~+/="])
        #expect(
            try await folder.found("http://a.example:3128", proxy: true)
                == ["nt-hash - u@d 8846f7eaee8fb117ad06bdd830b7586c"]
        )
        #expect(try await folder.found("http://a.example:3128") == [])
    }

    @Test("A list shows places, users and dates, and no secret") func list() throws {
        let folder = try StoreFolder()
        _ = try folder.run(
            ["add", "https://a.example:8443", "--user", #"D\u"#, "--realm", "r\u{1B}[2J", "--stdin"],
            input: "hunter2"
        )
        let table = try folder.run(["list"])
        #expect(table.status == 0 && table.error.isEmpty)
        let lines = table.output.split(separator: "\n")
        #expect(
            lines.count == 2 && lines[0].hasPrefix("URL")
                && lines[1].hasPrefix("https://a.example:8443  r\\u{1b}[2J  D\\u")
        )
        let object = try folder.run(["list", "--json"]).json()
        #expect(object["url"] as? String == "https://a.example:8443" && object["user"] as? String == "u")
        #expect(object["domain"] as? String == "D" && object["realm"] as? String == "r\u{1B}[2J")
        #expect(object["kind"] as? String == "password" && object["expires"] is NSNull)
        #expect(!folder.written.contains("hunter2"))
    }

    @Test("Removal takes a server and a user; nothing that matches is status 1") func remove() async throws {
        let folder = try StoreFolder()
        for user in ["u", "v", #"D\u"#] {
            _ = try folder.run(["add", "https://a.example", "--user", user, "--stdin"], input: "s")
        }
        _ = try folder.run(["add", "https://a.example", "--user", "u", "--realm", "r", "--stdin"], input: "s")
        for other in [
            ["https://a.example:8443", "--user", "u"], ["https://a.example", "--user", "w"],
            ["https://a.example", "--user", "u", "--proxy"], ["https://a.example", "--user", "u", "--kind", "token"],
        ] {
            let run = try folder.run(["remove"] + other)
            #expect(run.status == 1 && run.output.isEmpty && run.error.contains("no record of this user matches"))
        }
        let narrow = try folder.run(["remove", "https://a.example", "--user", "u", "--realm", "r"])
        #expect(narrow.status == 0 && narrow.output == "removed the password of u for https://a.example, realm \"r\"\n")
        #expect(try folder.run(["remove", "https://a.example", "--user", "u"]).status == 0)
        let left = Set(try await folder.found("https://a.example"))
        #expect(left == ["password - v s", "password D u s"])
    }

    @Test("A user with two backslashes is refused before the secret is read, with the way to write it")
    func backslashes() throws {
        let folder = try StoreFolder()
        let add = try folder.run(["add", "https://a.example", "--user", #"ACME\\bob"#, "--secret-file", "/nowhere"])
        let line = #"--user: ACME\\bob has more than one '\': write ACME\bob"#
        #expect(add.status == 2 && add.error == "sallyport credentials add: \(line)\n", "\(add.error)")
        for option in ["--user", "--proxy-user"] {
            let get = try SallyportRun(["get", "http://127.0.0.1:1/", "--no-store", option, #"ACME\\bob"#])
            let problem = #"\#(option): ACME\\bob has more than one '\'"#
            #expect(get.status == 2 && get.error.contains(problem), "\(get.error)")
        }
    }

    @Test("A secret of another form is refused before anything is made")
    func refusedSecrets() throws {
        let folder = try StoreFolder()
        func add(_ kind: String, _ bytes: [UInt8]) throws -> SallyportRun {
            let arguments = [
                "add", "https://a.example", "--user", "u", "--kind", kind, "--stdin", "--key-file", folder.path("key"),
            ]
            return try folder.plain(arguments, input: bytes)
        }
        let cases: [(kind: String, bytes: [UInt8], problem: String)] = [
            ("password", [], "standard input is empty"), ("password", [0x0A], "the secret is empty"),
            ("password", Array("hunter2\nhunter3".utf8), "more than one line"),
            ("password", Array("hunter2".utf8) + [0xFF], "not UTF-8"),
            ("password", Array(repeating: 0x68, count: 65_537), "more than 65536 bytes"),
            ("token", Array("hunter2 x".utf8), "blank"), ("nt-hash", Array("hunter2".utf8), "32 hexadecimal digits"),
        ]
        for (kind, bytes, problem) in cases {
            let run = try add(kind, bytes)
            #expect(run.status == 2 && run.output.isEmpty && run.error.contains(problem), "\(run.error)")
            #expect(run.error.split(separator: "\n").count == 1)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).isEmpty)
        #expect(try add("password", Array(repeating: 0x68, count: 65_536) + [0x0D, 0x0A]).status == 0)
        #expect(!folder.written.contains("hunter") && !folder.written.contains("hhh"))
    }

    @Test("A file of a secret or a netrc file that others may read is refused") func readableByOthers() throws {
        let folder = try StoreFolder()
        try folder.write("hunter2", "secret", mode: 0o640)
        try folder.write("machine a.example login u password hunter2", ".netrc", mode: 0o604)
        for arguments in [
            ["add", "https://a.example", "--user", "u", "--secret-file", folder.path("secret")], ["import-netrc"],
        ] {
            let run = try folder.run(arguments)
            #expect(run.status == 2 && run.error.contains("run chmod 600") && !run.error.contains("hunter2"))
        }
        let missing = try folder.run(["add", "https://a.example", "--user", "u", "--secret-file", folder.path("none")])
        #expect(missing.status == 2 && missing.error.contains("the file does not exist"))
        #expect(!FileManager.default.fileExists(atPath: folder.store))
    }

    @Test("Pipes of bash are files of secrets, a netrc file and a key") func pipes() async throws {
        let folder = try StoreFolder()
        let script = """
            set -e
            head -c 32 /dev/urandom >key && chmod 600 key
            "$SALLYPORT" credentials add https://a.example --user u --secret-file <(echo hunter2) --key-file key
            "$SALLYPORT" credentials import-netrc <(echo machine b.example login v password hunter3) --key-file <(cat key)
            """
        try folder.write(script, "script")
        let run = try SallyportRun(
            ["-c", "cd '\(folder.path(""))' && . ./script"],
            environment: folder.environment.merging(["SALLYPORT": SallyportRun.executable.path]) { $1 },
            program: URL(filePath: "/bin/bash")
        )
        #expect(run.status == 0, "\(run.error)")
        #expect(try await folder.found("https://a.example") == ["password - u hunter2"])
        #expect(try await folder.found("https://b.example") == ["password - v hunter3"])
    }

    @Test(
        "An argument that may be a secret is not shown",
        arguments: [
            ["add", "https://a.example", "--user", "u", "SECRET"],
            ["add", "https://u:SECRET@a.example", "--user", "u"],
            ["list", "SECRET"], ["git", "get", "SECRET"], ["rekey", "SECRET"],
        ]
    )
    func strayArguments(_ arguments: [String]) throws {
        // The log of the tests shows arguments, so the password is not one of them.
        let run = try StoreFolder().run(arguments.map { $0.replacing("SECRET", with: "hunter2") })
        #expect(run.status == 2 && run.output.isEmpty && !run.error.contains("hunter2"))
        #expect(run.error.split(separator: "\n").count == 1)
    }

    @Test("An error names the place, the problem and the remedy") func errors() throws {
        let folder = try StoreFolder()
        #expect(
            try folder.run(["list"]).error == """
                sallyport credentials list: \(folder.store): the store does not exist: check the path, or make it with sallyport \
                credentials add or login

                """
        )
        let noUser = try folder.run(["add", "https://a.example", "--stdin"], input: "s")
        #expect(noUser.status == 2 && noUser.error.hasSuffix("--user: a password belongs to a user: name one\n"))
        let path = try folder.run(["add", "https://a.example/x", "--user", "u", "--stdin"], input: "s")
        #expect(path.status == 2 && path.error.contains("URL: offset 17"))
        _ = try folder.run(["add", "https://a.example", "--user", "u", "--stdin"], input: "s")
        try folder.write(String(repeating: "k", count: 32), "wrong")
        let wrong = try folder.run(["list"], key: "wrong")
        #expect(wrong.status == 2 && wrong.error.contains("no key slot opens with this key or passphrase"))
        let none = try folder.run(["list"], key: "none")
        #expect(
            none.status == 2 && none.error.contains("credentials rekey --keep --to-key-file \(folder.path("none")), or")
        )
        #expect(none.error.split(separator: "\n").count == 1)
    }
}
