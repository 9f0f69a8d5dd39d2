import Foundation
import LiveServers
import Testing

/// `sallyport identity` with files that `openssl` has made.
@Suite(.inTurn, .serialized) struct IdentityCommandTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    // MARK: - Files

    private func openssl(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = folder.folder
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "openssl \(arguments)")
        return String(decoding: data, as: UTF8.self)
    }

    /// `laptop.crt` and `laptop.key` of an authority `ca.crt`.
    private func make(days: Int = 90, extensions: String = "extendedKeyUsage=clientAuth\nkeyUsage=digitalSignature\n")
        throws
    {
        _ = try openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key",
            "-subj", "/CN=Authority", "-days", "365", "-out", "ca.crt",
        ])
        _ = try openssl([
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "laptop.key",
            "-subj", "/O=Example/CN=laptop 7", "-out", "laptop.csr",
        ])
        try folder.write(extensions, "extensions.txt")
        _ = try openssl([
            "x509", "-req", "-in", "laptop.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-set_serial", "0x1F2E3D",
            "-days",
            "\(days)", "-extfile", "extensions.txt", "-out", "laptop.crt",
        ])
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("laptop.key"))
    }

    private func makeP12(_ options: [String] = []) throws {
        try folder.write("open sesame\n", "passphrase")
        _ = try openssl(
            [
                "pkcs12", "-export", "-inkey", "laptop.key", "-in", "laptop.crt", "-certfile", "ca.crt", "-passout",
                "file:passphrase", "-out", "laptop.p12",
            ] + options
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("laptop.p12"))
    }

    private func run(_ arguments: [String], input: String = "") throws -> SallyportRun {
        try SallyportRun(["identity"] + arguments, input: input.utf8, environment: folder.environment)
    }

    private func key(_ arguments: [String], input: String = "") throws -> SallyportRun {
        try run(arguments + ["--key-file", folder.path("key")], input: input)
    }

    // MARK: - show

    @Test("A .p12 file: what openssl says of its certificate, and no warning") func show() throws {
        try make()
        try makeP12()
        let shown = try run([
            "show", folder.path("laptop.p12"), "--passphrase-file", folder.path("passphrase"), "--json",
        ])
        #expect(shown.status == 0 && shown.error.isEmpty, "\(shown.error)")
        let json = try shown.json()
        #expect(json["subject"] as? String == "CN=laptop 7,O=Example" && json["issuer"] as? String == "CN=Authority")
        #expect(json["serial"] as? String == "1f2e3d" && json["key"] as? String == "EC P-256")
        #expect(json["chain"] as? [String] == ["CN=Authority"] && json["warnings"] as? [String] == [])
        #expect(json["key_usage"] as? [String] == ["digitalSignature"])
        #expect(json["extended_key_usage"] as? [String] == ["1.3.6.1.5.5.7.3.2"])
        #expect(json["form"] as? String == "PKCS#12")
        // OpenSSL 3 writes this, and the same for the key and the certificates.
        let encryption = try #require(json["encryption"] as? [[String: Any]])
        #expect(encryption.map { $0["name"] as? String } == ["AES-256 with PBKDF2 and SHA-256"])
        #expect(encryption.map { $0["iterations"] as? Int } == [2_048])
        let der = try openssl(["x509", "-in", "laptop.crt", "-noout", "-pubkey"])
        try folder.write(der, "public.pem")
        _ = try openssl(["pkey", "-pubin", "-in", "public.pem", "-outform", "DER", "-out", "public.der"])
        let digest = try openssl(["dgst", "-sha256", "-r", "public.der"]).prefix(64)
        let pin = Data(base64Encoded: try #require(json["spki_sha256"] as? String))?.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0\(text)" : text
        }
        #expect(pin?.joined() == String(digest))
    }

    @Test("The passphrase may come from a pipe of bash, in a process of its own") func passphrasePipe() throws {
        try make()
        try makeP12()
        let words = "exec \"$SALLYPORT\" identity show laptop.p12 --passphrase-file <(cat passphrase) --json"
        let shown = try SallyportRun(
            ["-c", "cd '\(folder.path(""))' && \(words)"],
            environment: folder.environment.merging(["SALLYPORT": SallyportRun.executable.path]) { $1 },
            program: URL(filePath: "/bin/bash")
        )
        #expect(shown.status == 0, "\(shown.error)")
        #expect(try shown.json()["serial"] as? String == "1f2e3d")
    }

    @Test("Warnings: old encryption, expires soon, for servers, not encrypted, no issuer; exit status 1")
    func warnings()
        throws
    {
        try make(days: 10, extensions: "extendedKeyUsage=serverAuth\n")
        try makeP12(["-legacy"])
        let legacy = try run(["show", folder.path("laptop.p12"), "--stdin", "--json"], input: "open sesame\n")
        #expect(legacy.status == 1, "\(legacy.error)")
        #expect(try legacy.json()["warnings"] as? [String] == ["expires-soon", "not-for-clients", "old-encryption"])
        #expect(legacy.output.contains("RC2-40") && legacy.output.contains("Triple DES"))
        let pair = try run(["show", folder.path("laptop.crt"), "--key", folder.path("laptop.key")])
        #expect(pair.status == 1 && pair.output.contains("warning   the key is not encrypted"), "\(pair.error)")
        #expect(
            pair.output.contains("file      PEM, not encrypted") && pair.output.contains("no certificate of the issuer")
        )
    }

    @Test("A wrong passphrase, a file that others may read, no file: one line, exit status 2") func problems() throws {
        try make()
        try makeP12()
        let file = folder.path("laptop.p12")
        let wrong = try run(["show", file, "--stdin"], input: "wrong one\n")
        #expect(wrong.status == 2 && wrong.output.isEmpty && !wrong.error.contains("wrong one"))
        #expect(wrong.error.hasPrefix("sallyport identity show: \(file): the passphrase is wrong"))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
        let open = try run(["show", file, "--stdin"], input: "open sesame\n")
        #expect(open.status == 2 && open.error.contains("other users may use the file (mode 640): run chmod 600"))
        let missing = try run(["show", folder.path("nothing.p12")])
        #expect(missing.status == 2 && missing.error.contains("the file does not exist"))
        let both = try run(["show", file, "--stdin", "--passphrase-file", folder.path("passphrase")])
        #expect(both.status == 2)
    }

    // MARK: - The store

    @Test("An imported identity is listed, stays when its file is gone, and is removed") func kept() throws {
        try make()
        try makeP12()
        let file = folder.path("laptop.p12")
        let imported = try key(["import", file, "--name", "laptop", "--stdin"], input: "open sesame\n")
        #expect(
            imported.status == 0 && imported.output.contains("kept the identity \"laptop\", valid until "),
            "\(imported.error)"
        )
        let again = try key(["import", file, "--name", "laptop", "--stdin"], input: "open sesame\n")
        #expect(again.status == 2 && again.error.contains("--replace"))
        #expect(
            try key(["import", file, "--name", "laptop", "--stdin", "--replace"], input: "open sesame\n").status == 0
        )
        let named = try key(["import", file, "--passphrase-file", folder.path("passphrase"), "--json"])
        #expect(try named.json()["name"] as? String == "CN=laptop 7,O=Example")
        for name in ["laptop.p12", "laptop.key", "passphrase"] {
            try FileManager.default.removeItem(atPath: folder.path(name))
        }
        let listed = try key(["list", "--json"])
        let names = listed.output.split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["name"] as? String
        }
        #expect(listed.status == 0 && Set(names) == ["laptop", "CN=laptop 7,O=Example"])
        // A password in the same store is no identity, and the identity is no password.
        #expect(try folder.run(["add", "https://a.example", "--user", "u", "--stdin"], input: "hunter2").status == 0)
        #expect(try key(["list"]).output.split(separator: "\n").count == 2)
        #expect(try folder.run(["list"]).output.contains("identity"))
        #expect(try key(["remove", "laptop"]).status == 0)
        #expect(try key(["remove", "laptop"]).status == 1)
        #expect(try key(["list"]).output.split(separator: "\n").count == 1)
    }

    @Test("A file that cannot be used makes no store") func noStore() throws {
        try make()
        try makeP12()
        let wrong = try key(["import", folder.path("laptop.p12"), "--stdin"], input: "wrong\n")
        #expect(wrong.status == 2 && !FileManager.default.fileExists(atPath: folder.store))
    }

    @Test(
        "The terminal asks for the passphrase without echo",
        .enabled(if: PythonTerminal.isUsable, "python3 is missing")
    )
    func terminal() throws {
        try make()
        try makeP12()
        let session = try PythonTerminal.session(
            "types:open sesame",
            ["identity", "import", folder.path("laptop.p12"), "--name", "x", "--key-file", folder.path("key")],
            environment: folder.environment
        )
        #expect(session.exit == 0 && session.hidden && session.restored && session.prompts == 1, "\(session.shown)")
        #expect(!session.shown.contains("sesame") && session.output.contains("kept the identity \"x\""))
    }
}
