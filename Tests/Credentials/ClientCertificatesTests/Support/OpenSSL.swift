import Foundation
import Secrets
import TestSupport
import Testing

/// The `openssl` command, an independent implementation of all formats.
enum OpenSSL {
    struct Failed: Error {
        let arguments: [String]
        let status: Int32
    }

    /// Runs a program in `folder`; returns what it writes.
    @discardableResult
    static func run(_ arguments: [String], in folder: URL, program: String = "openssl") throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failed(arguments: arguments, status: process.terminationStatus)
        }
        return [UInt8](data)
    }
}

/// Keys, and certificates of one authority and one below it, made once.
struct Workshop: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case rsa, p256, p384, p521, ed25519

        fileprivate var options: [String] {
            switch self {
            case .rsa: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
            case .p256: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .p384: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
            case .p521: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"]
            case .ed25519: ["-algorithm", "ED25519"]
            }
        }
    }

    private static let only = Result { try Workshop() }

    static var shared: Workshop { get throws { try only.get() } }

    let folder: URL
    /// What OpenSSL says of each certificate and each key, in DER.
    private var certificates: [String: [UInt8]] = [:]
    private var keys: [String: [UInt8]] = [:]
    /// `chain.pem`: the authorities, the root first.
    private init() throws {
        folder = TemporaryFolder.place("identities")
        // For the tests of this process, with which it is removed.
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("basicConstraints=critical,CA:TRUE\n".utf8).write(to: folder.appending(path: "authority.txt"))
        try key(.p256, "root")
        try OpenSSL.run(
            ["req", "-x509", "-new", "-key", "root.key", "-subj", "/CN=Root", "-days", "30", "-out", "root.crt"],
            in: folder
        )
        try key(.p256, "middle")
        try sign("middle", subject: "/CN=Laptops", by: "root", extensions: "authority.txt")
        for kind in Kind.allCases {
            try key(kind, kind.rawValue)
            try sign(kind.rawValue, subject: "/O=Example/CN=\(kind.rawValue)", by: "middle")
        }
        var chain = Data()
        for name in ["root", "middle"] {
            chain.append(try Data(contentsOf: folder.appending(path: "\(name).crt")))
        }
        try chain.write(to: folder.appending(path: "chain.pem"))
        for name in ["root", "middle"] + Kind.allCases.map(\.rawValue) {
            certificates[name] = try OpenSSL.run(["x509", "-in", "\(name).crt", "-outform", "DER"], in: folder)
            let options = ["-topk8", "-nocrypt", "-in", "\(name).key", "-outform", "DER"]
            keys[name] = try OpenSSL.run(["pkcs8"] + options, in: folder)
        }
    }

    private func key(_ kind: Kind, _ name: String) throws {
        try OpenSSL.run(["genpkey"] + kind.options + ["-out", "\(name).key"], in: folder)
    }

    private func sign(_ name: String, subject: String, by issuer: String, extensions: String? = nil) throws {
        try OpenSSL.run(["req", "-new", "-key", "\(name).key", "-subj", subject, "-out", "\(name).csr"], in: folder)
        let options = extensions.map { ["-extfile", $0] } ?? []
        try OpenSSL.run(
            [
                "x509", "-req", "-in", "\(name).csr", "-CA", "\(issuer).crt", "-CAkey", "\(issuer).key",
                "-CAcreateserial", "-days", "20", "-out", "\(name).crt",
            ] + options,
            in: folder
        )
    }

    // MARK: - What OpenSSL says

    /// The certificate in DER.
    func certificate(_ name: String) throws -> [UInt8] { try #require(certificates[name]) }

    /// The private key as PKCS#8 in DER.
    func pkcs8(_ name: String) throws -> [UInt8] { try #require(keys[name]) }

    /// A text of the folder.
    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
    }

    /// A PKCS#12 file with key, certificate and authorities. Its iterations are few, because a debug build is slow at them.
    func pkcs12(
        _ kind: Kind = .p256,
        _ options: [String] = [],
        passphrase: String = "secret"
    ) throws -> [UInt8] {
        try OpenSSL.run(
            [
                "pkcs12", "-export", "-inkey", "\(kind.rawValue).key", "-in", "\(kind.rawValue).crt", "-certfile",
                "chain.pem", "-passout", "pass:\(passphrase)", "-name", "laptop 7", "-iter", "100",
            ] + options,
            in: folder
        )
    }

    /// Writes a file of the folder; returns its path.
    @discardableResult
    func write(_ bytes: [UInt8], _ name: String = UUID().uuidString, mode: Int = 0o600) throws -> String {
        let url = folder.appending(path: name)
        try Data(bytes).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
        return url.path
    }
}

extension SharedSecret {
    /// A copy, for comparisons.
    var copy: [UInt8] {
        withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }
}
