package import Foundation
internal import TestSupport

/// Cards of Debian's SoftHSM in a folder of their own.
///
/// SoftHSM reads the place of its cards from the environment of the process that loads it: see ``environment``.
package struct SoftCards: Sendable {
    package static let module = "/usr/lib/softhsm/libsofthsm2.so"
    package static let pin = "correct-1234"

    package enum Kind: String, CaseIterable, Codable, Sendable {
        case rsa, p256, p384, p521

        var options: [String] {
            switch self {
            case .rsa: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
            case .p256: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .p384: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
            case .p521: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"]
            }
        }
    }

    package let folder: URL

    /// What a process needs to find the cards, and what ``makeFaultyModule()`` needs to find SoftHSM and its log.
    package var environment: [String: String] {
        ["SOFTHSM2_CONF": path("softhsm2.conf"), "FAULTY_REAL": Self.module, "FAULTY_LOG": path("calls")]
    }

    /// Makes the folder, with a card `work`.
    package init() throws {
        folder = TemporaryFolder.place("cards")
        try FileManager.default.createDirectory(at: folder.appending(path: "cards"), withIntermediateDirectories: true)
        let configuration = "directories.tokendir = \(path("cards"))\nobjectstore.backend = file\nlog.level = ERROR\n"
        try configuration.write(toFile: path("softhsm2.conf"), atomically: true, encoding: .utf8)
        try initialize("work")
    }

    package func path(_ name: String) -> String { folder.appending(path: name).path }

    // MARK: - What is on the cards

    package func initialize(_ card: String, pin: String = pin) throws {
        try run("softhsm2-util", "--init-token", "--free", "--label", card, "--pin", pin, "--so-pin", "so-pin-1234")
    }

    /// Puts a key and its certificate onto a card. The certificate is issued by `issuer`, whose own is on the card too.
    ///
    /// - Parameter asksAlways: whether the card wants the PIN again for each signature of the key.
    package func provision(
        _ kind: Kind,
        id: String = "01",
        label: String = "laptop 7",
        card: String = "work",
        asksAlways: Bool = false
    ) throws {
        try makeIssuer()
        try makeCertificate(kind, name: kind.rawValue, subject: "/O=Example/CN=\(label)")
        if asksAlways {
            try putCarefulKey(kind.rawValue, id: id, label: label, card: card)
        } else {
            try putKey(kind.rawValue, id: id, label: label, card: card)
        }
        try putCertificate(kind.rawValue, id: id, label: label, card: card)
        try putCertificate("issuer", id: "ff", label: "issuer", card: card)
    }

    package func makeIssuer() throws {
        guard !FileManager.default.fileExists(atPath: path("issuer.crt")) else { return }
        try run(["openssl", "genpkey"] + Kind.p256.options + ["-out", "issuer.key"])
        try run(
            "openssl",
            "req",
            "-x509",
            "-new",
            "-key",
            "issuer.key",
            "-subj",
            "/CN=Cards",
            "-days",
            "30",
            "-out",
            "issuer.crt"
        )
    }

    package func makeCertificate(_ kind: Kind, name: String, subject: String) throws {
        try run(["openssl", "genpkey"] + kind.options + ["-out", "\(name).key"])
        try run("openssl", "req", "-new", "-key", "\(name).key", "-subj", subject, "-out", "\(name).csr")
        try run(
            "openssl",
            "x509",
            "-req",
            "-in",
            "\(name).csr",
            "-CA",
            "issuer.crt",
            "-CAkey",
            "issuer.key",
            "-CAcreateserial",
            "-days",
            "20",
            "-out",
            "\(name).crt"
        )
    }

    package func putKey(_ name: String, id: String, label: String, card: String = "work") throws {
        try run("openssl", "pkcs8", "-topk8", "-nocrypt", "-in", "\(name).key", "-out", "\(name).p8")
        try run(
            "softhsm2-util",
            "--import",
            "\(name).p8",
            "--token",
            card,
            "--label",
            label,
            "--id",
            id,
            "--pin",
            Self.pin
        )
    }

    private func putCarefulKey(_ name: String, id: String, label: String, card: String) throws {
        try run("openssl", "pkcs8", "-topk8", "-nocrypt", "-in", "\(name).key", "-outform", "DER", "-out", "\(name).p8")
        try run(
            ["pkcs11-tool", "--module", Self.module, "--token-label", card, "--login", "--pin", Self.pin]
                + ["--write-object", "\(name).p8", "--type", "privkey", "--usage-sign", "--always-auth"]
                + ["--id", id, "--label", label]
        )
    }

    package func putCertificate(_ name: String, id: String, label: String, card: String = "work") throws {
        try run("openssl", "x509", "-in", "\(name).crt", "-outform", "DER", "-out", "\(name).der")
        try run(
            "pkcs11-tool",
            "--module",
            Self.module,
            "--token-label",
            card,
            "--login",
            "--pin",
            Self.pin,
            "--write-object",
            "\(name).der",
            "--type",
            "cert",
            "--id",
            id,
            "--label",
            label
        )
    }

    package func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appending(path: name))) }

    // MARK: - Programs

    package struct Failed: Error {
        let arguments: [String]
        let output: String
    }

    @discardableResult
    package func run(_ arguments: String...) throws -> String { try run(arguments) }

    @discardableResult
    package func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(arguments: arguments, output: output) }
        return output
    }

    // MARK: - The module that makes mistakes

    /// Builds the module, which passes calls on to SoftHSM and notes each; returns its path.
    package func makeFaultyModule() throws -> String {
        try run("clang", "-shared", "-fPIC", "-o", path("faulty.so"), Script.server("faulty_module.c"))
        return path("faulty.so")
    }

    /// All calls of that module, one letter each.
    package var allCalls: String { (try? String(contentsOfFile: path("calls"), encoding: .utf8)) ?? "" }

    /// Removes the folder.
    package func remove() { try? FileManager.default.removeItem(at: folder) }
}
