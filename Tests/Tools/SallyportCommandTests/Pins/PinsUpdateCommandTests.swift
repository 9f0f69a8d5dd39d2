import Foundation
import LiveServers
import TestLimits
import TestSupport
import Testing

/// Signed updates of pins, whose signatures OpenSSL verifies and makes.
@Suite(.row(86), .inTurn, .serialized, .needs(.openssl)) struct PinsUpdateCommandTests {
    private let folder: TemporaryFolder
    /// The folder as arguments have it.
    private func path(_ name: String) -> String { folder.path(name) }

    init() throws {
        folder = try TemporaryFolder("updates")
        try openssl(["genpkey", "-algorithm", "ed25519", "-out", folder.path("key.pem")])
        try openssl(["pkey", "-in", folder.path("key.pem"), "-pubout", "-out", folder.path("public.pem")])
        let pins = [PinsRun.leaf, PinsRun.issuer].map { "sha256/\($0)" }.joined(separator: " ")
        try folder.write("**.acme.example \(pins)\n", "pins.txt")
        for version in 1...2 {
            let run = try sallyport([
                "convert", "--from", "okhttp", "--image", path("v\(version)"), "--policy-version", "\(version)",
                path("pins.txt"),
            ])
            try #require(run.status == 0, "\(run.error)")
        }
    }

    private func sallyport(_ arguments: [String]) throws -> SallyportRun { try SallyportRun(["pins"] + arguments) }

    @discardableResult
    private func openssl(_ arguments: [String]) throws -> String {
        let run = try SallyportRun(arguments, program: URL(filePath: "/usr/bin/openssl"))
        try #require(run.status == 0, "\(run.error)")
        return run.output
    }

    private func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: path(name))) }

    private func write(_ bytes: Data, _ name: String) throws { try bytes.write(to: URL(filePath: path(name))) }

    private func update(_ update: String, trusting key: String = "public.pem") throws -> SallyportRun {
        try sallyport(["update", "--trust", path(key), "--image", path("in-use"), update])
    }

    @Test("OpenSSL verifies an update, and an update that it signs is taken")
    func agreement() throws {
        let signed = try sallyport(["sign", "--key", path("key.pem"), "-o", path("u1"), path("v1")])
        #expect(signed.status == 0 && signed.output.hasPrefix("signed version 1: "), "\(signed.error)")
        let ours = try bytes("u1")
        try write(ours.dropLast(64), "message")
        try write(ours.suffix(64), "signature")
        let verify = ["pkeyutl", "-verify", "-pubin", "-inkey", path("public.pem"), "-rawin", "-in", path("message")]
        #expect(try openssl(verify + ["-sigfile", path("signature")]).contains("Verified Successfully"))

        let first = try update(path("u1"))
        #expect(first.status == 0 && first.output.hasSuffix("in-use: version 1 is the first one\n"), "\(first.error)")
        #expect(try bytes("in-use") == bytes("v1"))
        // The layout that the page draws: mark, 1, 0, image, signature.
        try write(Data("SPKIPUPD".utf8) + Data([1, 0, 0, 0, 0, 0, 0, 0]) + bytes("v2"), "theirs")
        try openssl([
            "pkeyutl", "-sign", "-inkey", path("key.pem"), "-rawin", "-in", path("theirs"), "-out", path("signature"),
        ])
        try write(bytes("theirs") + bytes("signature"), "u2")
        let second = try update(path("u2"))
        #expect(second.status == 0 && second.output.hasSuffix("version 2 replaces version 1\n"), "\(second.error)")
        #expect(try bytes("in-use") == bytes("v2"))
        let rollback = try update(path("u1"))
        #expect(
            rollback.status == 1 && rollback.error.contains("version 1, but version 2 was in use"),
            "\(rollback.error)"
        )
        #expect(try bytes("in-use") == bytes("v2"))
    }

    @Test("Keys that are not what an option needs are named; another signer is refused")
    func keys() throws {
        try openssl(["genpkey", "-algorithm", "ed25519", "-out", path("other.pem")])
        try openssl(["pkey", "-in", path("other.pem"), "-pubout", "-out", path("other-public.pem")])
        try openssl(["genpkey", "-algorithm", "x25519", "-out", path("x.pem")])
        let sign = { key in try sallyport(["sign", "--key", path(key), "-o", path("u"), path("v1")]) }
        for (key, expected) in [
            ("x.pem", "a key is not an Ed25519 key"), ("public.pem", "there is no PRIVATE KEY in PEM"),
        ] {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(key))
            let run = try sign(key)
            #expect(run.status == 2 && run.error.contains(expected), "\(run.error)")
        }
        try #require(try sign("key.pem").status == 0)
        let wrong = try update(path("u"), trusting: "key.pem")
        #expect(wrong.status == 2 && wrong.error.contains("openssl pkey -in KEY -pubout"), "\(wrong.error)")
        let stranger = try update(path("u"), trusting: "other-public.pem")
        #expect(stranger.status == 1 && stranger.error.contains("not from a trusted key"), "\(stranger.error)")
        #expect(!FileManager.default.fileExists(atPath: path("in-use")))
    }

    @Test("An update comes from a URL of loopback or https; a page of an error is no update", .needs(.python))
    func download() async throws {
        try #require(try sallyport(["sign", "--key", path("key.pem"), "-o", path("u1"), path("v1")]).status == 0)
        let port = Int(try ServerPort.take())
        let server = try HelperProcess(
            silent: ["python3", "-m", "http.server", "--bind", "127.0.0.1", "--directory", path(""), "\(port)"],
            port: port
        )
        defer { withExtendedLifetime(server) {} }
        let base = "http://127.0.0.1:\(port)"
        let missing = try update("\(base)/none")
        #expect(missing.status == 2 && missing.error.contains("the server answered with 404"), "\(missing.error)")
        #expect(try update("\(base)/u1").status == 0)
        #expect(try bytes("in-use") == bytes("v1"))
        let again = try sallyport([
            "update", "--trust", path("public.pem"), "--image", path("in-use"), "--json", "\(base)/u1",
        ])
        #expect(try again.status == 0 && again.json()["before"] as? Int == 1 && again.json()["version"] as? Int == 1)
        let plain = try update("http://updates.acme.example/u1")
        #expect(plain.status == 2 && plain.error.contains("needs https"), "\(plain.error)")
    }
}
