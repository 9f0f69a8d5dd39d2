import Foundation
import LiveServers
import TestSupport
import Testing

/// Files as PowerShell writes them, compressed files and certificates, where each verb reads a file.
@Suite(.inTurn) struct ForeignFileCommandTests {
    private static func utf16(_ text: String) throws -> Data {
        Data([0xff, 0xfe]) + (try #require(text.data(using: .utf16LittleEndian)))
    }

    /// RFC 1952 section 2.3.1.
    private static let gzip = Data([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])

    /// The verbs with FILE in place of the file, and a text that each reads.
    private static let verbs: [(arguments: [String], text: String)] = [
        (["sites", "match", "--list", "FILE"], "a.example\n"),
        (["sites", "convert", "--from", "squid", "--to", "rules", "FILE"], ".a.example\n"),
        (["sites", "compile", "FILE", "--output", "OUT"], "a.example\n"),
        (
            ["pins", "convert", "--from", "curl", "--host", "a.example", "--to", "json", "FILE"],
            "sha256//"
                + "X3pGTSOuJeEVw989IJ/cEtXUEmy52zs1TZQrU06KUKg=\n"
        ),
        (["replay", "--profile", "FILE"], "sites: [a.example]\nschemes: [basic]\n"),
    ]

    /// What came of a run, without the folder of its files.
    private static func run(
        _ arguments: [String],
        _ contents: Data,
        name: String = "input"
    ) throws -> (status: Int32, output: String, error: String) {
        let folder = TemporaryFolder.place("forms")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: name)
        try contents.write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let paths = ["FILE": file.path, "OUT": folder.appending(path: "out").path]
        let run = try SallyportRun(arguments.map { paths[$0] ?? $0 })
        func short(_ text: String) -> String { text.replacing(folder.path, with: "") }
        return (run.status, short(run.output), short(run.error))
    }

    @Test("UTF-16 with its mark is read as the same text in UTF-8", arguments: verbs.map(\.arguments))
    func utf16(arguments: [String]) throws {
        let text = try #require(Self.verbs.first { $0.arguments == arguments }).text
        let plain = try Self.run(arguments, Data(text.utf8))
        let wide = try Self.run(arguments, Self.utf16(text))
        #expect(wide.status == plain.status && wide.output == plain.output, "\(wide.error)")
    }

    @Test("So is UTF-8 with its mark", arguments: verbs.map(\.arguments)) func marked(arguments: [String]) throws {
        let text = try #require(Self.verbs.first { $0.arguments == arguments }).text
        let plain = try Self.run(arguments, Data(text.utf8))
        let marked = try Self.run(arguments, Data("\u{FEFF}\(text)".utf8))
        #expect(marked.status == plain.status && marked.output == plain.output, "\(marked.error)")
        #expect(marked.error == plain.error)
    }

    @Test("A compressed file is named with the program that unpacks it", arguments: verbs.map(\.arguments))
    func compressed(arguments: [String]) throws {
        let run = try Self.run(arguments, Self.gzip)
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.error.contains("this is gzip: unpack it first, with gunzip"), "\(run.error)")
    }

    @Test("Files with secrets are not converted, and named")
    func secrets() throws {
        let accounts = ["relay", "--parent", "127.0.0.1:1", "--listen", "127.0.0.1:0", "--client-accounts", "FILE"]
        let forms = [("UTF-16", try Self.utf16("jdoe:{PLAIN}" + "hunter2\n")), ("gzip", Self.gzip)]
        for (form, contents) in forms {
            let run = try Self.run(accounts, contents)
            #expect(!run.error.contains("hunter2"))
            #expect(run.status == 2 && run.error.contains(form), "\(run.error)")
        }
    }

    @Test("study import reads UTF-16 where it reads text, and names what it cannot read")
    func imports() throws {
        for (format, name) in [
            ("pem", "a.example.pem"), ("openssl", "a.example.txt"), ("limbo", "cases.json"), ("zgrab2", "scan.json"),
        ] {
            let run = try Self.run(["study", "import", format, "FILE", "--out", "OUT"], Self.gzip, name: name)
            #expect(run.status == 2 && run.error.contains("this is gzip"), "\(format): \(run.error)")
        }
    }

    @Test(
        "A certificate in DER is read where certificates are, and named where a list is",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "needs openssl")
    )
    func certificates() throws {
        let folder = TemporaryFolder.place("der")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "leaf.cer")
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
            folder.appending(path: "key.pem").path, "-out", file.path, "-outform", "DER", "-subj", "/CN=a.example",
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        try #require(openssl.terminationStatus == 0)
        let contents = try Data(contentsOf: file)
        #expect(try SallyportRun(["pins", "extract", file.path]).status == 0)
        for arguments in Self.verbs.map(\.arguments) {
            let run = try Self.run(arguments, contents)
            #expect(run.status == 2 && run.error.contains("binary (DER)"), "\(arguments): \(run.error)")
        }
    }
}
