import Foundation
import LiveServers
import Testing

/// Options of curl that are refused, and secrets in arguments. The placeholder keeps the password out of the log of the tests.
@Suite(.inTurn) struct RefusedOptionsTests {
    private static func run(_ arguments: [String], _ verb: String = "get") throws -> SallyportRun {
        let arguments = [verb, "https://127.0.0.1:1/"] + arguments
        return try RequestFolder().run(arguments.map { $0.replacing("SECRET", with: "hunter2") })
    }

    @Test("-k is refused with what to do", arguments: ["-k", "--insecure"], ["get", "explain"])
    func insecure(option: String, verb: String) throws {
        let run = try Self.run([option], verb)
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(
            run.error == "sallyport: --insecure would send passwords to an unproven server: "
                + "trust the server's authority with --cacert FILE, or its key with --ask-trust; see sallyport \(verb) --help\n"
        )
    }

    @Test(
        "An option of curl is refused with the option to give here",
        arguments: [
            (["-b", "id=SECRET"], "give --header @FILE"), (["-bid=SECRET"], "give --header @FILE"),
            (["--cookie=id=SECRET"], "give --header @FILE"), (["--oauth2-bearer", "SECRET"], "in a profile"),
            (["-A", "x"], "'User-Agent: NAME'"), (["-e", "x"], "'Referer: URL'"), (["-F", "a=SECRET"], "give --data"),
            (["-E", "x.p12:SECRET"], "give --cert FILE"), (["--key", "x"], "give --cert-key FILE"),
            (["--cert-type", "P12"], "Leave it out"), (["--pass", "SECRET"], "give --cert-passphrase-file FILE"),
            (["-T", "x"], "--data-binary @FILE"), (["-i"], "--verbose shows them"), (["-f"], "Leave it out"),
            (["-fsSL"], "Leave it out"), (["-O"], "--output FILE"), (["-G"], "'?' in the URL"),
            (["-G", "-I", "-d", "q=1"], "'?' in the URL"),
            (["--ntlm"], "--ntlm is not known"), (["--negotiate"], "give --kerberos"),
            (["--basic"], "--basic is not known"), (["--digest"], "list 'schemes'"), (["--anyauth"], "list 'schemes'"),
        ],
        ["get", "explain"]
    )
    func refused(option: (arguments: [String], remedy: String), verb: String) throws {
        let run = try Self.run(option.arguments, verb)
        #expect(run.status == 2 && run.output.isEmpty && run.error.contains(option.remedy), "\(run.error)")
        #expect(run.error.hasSuffix("; see sallyport \(verb) --help\n") && !run.error.contains("hunter2"))
        #expect(run.error.split(separator: "\n").count == 1)
    }

    @Test(
        "A password behind the user is refused with the reason and the ways to give it",
        arguments: ["-u", "--user", "-U", "--proxy-user"],
        [true, false]
    )
    func password(option: String, isJoined: Bool) throws {
        let joint = option.hasPrefix("--") ? "=" : ""
        let run = try Self.run(isJoined ? ["\(option)\(joint)jdoe:SECRET"] : [option, "jdoe:SECRET"])
        #expect(run.status == 2 && run.output.isEmpty && !run.error.contains("hunter2"))
        #expect(run.error.contains("a password in an argument is visible to other processes"), "\(run.error)")
        #expect(run.error.contains("sallyport credentials add, or type it at the terminal"), "\(run.error)")
    }

    @Test("A passphrase after the file of --cert is refused, and not shown") func passphrase() throws {
        let folder = try RequestFolder()
        try folder.write("", "laptop.p12")
        for name in ["laptop.p12", "none.p12"] {
            let path = folder.path(name)
            let run = try folder.run(
                [
                    "get", "https://127.0.0.1:1/", "--no-store", "--cert",
                    "\(path):a:SECRET".replacing("SECRET", with: "hunter2"),
                ]
            )
            #expect(
                run.status == 2
                    && run.error
                        == "sallyport get: --cert: a passphrase after \(path) is visible to other processes: remove ':' and what follows, put the "
                        + "passphrase into a file, and name it with --cert-passphrase-file\n",
                "\(run.error)"
            )
        }
    }

    @Test(
        "A field that holds a secret is refused in an argument",
        arguments: [
            (
                ["-H", "Cookie: id=SECRET"],
                "Cookie holds a secret, and other processes can read arguments: put the line into a file"
            ),
            (["-HCOOKIE:id=SECRET"], "give --header @FILE"),
            (["--header", "cookie:\tid=SECRET"], "give --header @FILE"),
            (["-H", "X-A: 1", "-H", "Cookie:SECRET"], "number 2"),
            (["-H", "Authorization: Bearer SECRET"], "Authorization holds a secret"),
            (["-H", "proxy-authorization: Basic SECRET"], "Proxy-Authorization holds a secret"),
            (
                ["-H", "x-api-key: SECRET"],
                "give an account of a profile 'token' and 'field: X-API-Key', or put the line"
            ),
            (["-HPRIVATE-TOKEN:SECRET"], "and give --header @FILE"),
        ],
        ["get", "explain"]
    )
    func secretField(option: (arguments: [String], problem: String), verb: String) throws {
        let run = try Self.run(option.arguments, verb)
        #expect(run.status == 2 && run.error.contains(option.problem), "\(run.error)")
        #expect(!run.error.contains("hunter2") && !run.output.contains("hunter2"))
    }

    @Test("A field without a value holds no secret", arguments: ["Cookie:", "cookie: \t", "Cookie;"])
    func noSecret(field: String) throws {
        let run = try SallyportRun(["get", "--direct", "http://127.0.0.1:1/", "-H", field])
        #expect(run.status == 2 && run.error.contains("127.0.0.1:1: no connection: "), "\(run.error)")
    }

    @Test("A file of a field has the rule of all files with secrets, one line, and no answer to a challenge")
    func fieldFile() throws {
        let folder = try RequestFolder()
        let cases: [(text: String?, mode: Int, problem: String)] = [
            ("Cookie: id=hunter2\n", 0o644, "other users"), ("Cookie: id=hunter2\nX-A: 1\n", 0o600, "line"),
            ("Authorization: hunter2", 0o600, "Authorization is set by the client"),
            ("hunter2", 0o600, "there is no ':'"),
            (nil, 0, "No such file"),
        ]
        for (number, (text, mode, problem)) in cases.enumerated() {
            if let text { try folder.write(text, "field\(number)", mode: mode) }
            let run = try folder.run(["get", "http://127.0.0.1:1/", "-H", "@\(folder.path("field\(number)"))"])
            #expect(run.status == 2 && run.error.contains("--header, number 1: "), "\(run.error)")
            #expect(run.error.contains(problem) && !run.error.contains("hunter2"), "\(number): \(run.error)")
        }
    }
}
