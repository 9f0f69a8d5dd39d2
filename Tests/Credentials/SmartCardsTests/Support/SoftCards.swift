import Foundation
import LiveServers
import Secrets
import Synchronization
import TestSupport
import Testing

@testable import SmartCards

/// Cards of Debian's SoftHSM in a folder of their own.
///
/// SoftHSM reads the place of its cards from the environment of the process, so that each test runs in a process of its own.
struct SoftCards {
    static let module = "/usr/lib/softhsm/libsofthsm2.so"
    static let pin = "correct-1234"

    enum Kind: String, CaseIterable, Codable, Sendable {
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

    let folder: URL
    /// How many letters of the module's log were read.
    private let readCalls = ReadCalls()

    /// Makes the folder of this process, with a card `work`.
    init() throws {
        folder = TemporaryFolder.place("cards")
        try FileManager.default.createDirectory(at: folder.appending(path: "cards"), withIntermediateDirectories: true)
        let configuration = "directories.tokendir = \(path("cards"))\nobjectstore.backend = file\nlog.level = ERROR\n"
        try configuration.write(toFile: path("softhsm2.conf"), atomically: true, encoding: .utf8)
        set("SOFTHSM2_CONF", path("softhsm2.conf"))
        try initialize("work")
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func set(_ variable: String, _ value: String?) {
        if let value { unsafe setenv(variable, value, 1) } else { unsafe unsetenv(variable) }
    }

    // MARK: - What is on the cards

    func initialize(_ card: String, pin: String = pin) throws {
        try run("softhsm2-util", "--init-token", "--free", "--label", card, "--pin", pin, "--so-pin", "so-pin-1234")
    }

    /// Puts a key and its certificate onto a card. The certificate is issued by `issuer`, whose own is on the card too.
    func provision(_ kind: Kind, id: String = "01", label: String = "laptop 7", card: String = "work") throws {
        try makeIssuer()
        try makeCertificate(kind, name: kind.rawValue, subject: "/O=Example/CN=\(label)")
        try putKey(kind.rawValue, id: id, label: label, card: card)
        try putCertificate(kind.rawValue, id: id, label: label, card: card)
        try putCertificate("issuer", id: "ff", label: "issuer", card: card)
    }

    func makeIssuer() throws {
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

    func makeCertificate(_ kind: Kind, name: String, subject: String) throws {
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

    func putKey(_ name: String, id: String, label: String, card: String = "work") throws {
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

    func putCertificate(_ name: String, id: String, label: String, card: String = "work") throws {
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

    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appending(path: name))) }

    // MARK: - Programs

    struct Failed: Error {
        let arguments: [String]
        let output: String
    }

    @discardableResult
    func run(_ arguments: String...) throws -> String { try run(arguments) }

    @discardableResult
    func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = folder
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

    // MARK: - Opening

    func uri(_ text: String = "pkcs11:token=work") throws -> PKCS11URI { try PKCS11URI(parsing: text) }

    func open(
        _ text: String = "pkcs11:token=work",
        pin: String? = pin,
        module: String = module,
        options: SmartCardOptions = .patient
    ) async throws -> SmartCard {
        try await SmartCard.open(uri(text), module: module, pin: pin.map { SharedSecret(utf8: $0) }, options: options)
    }

    /// The problem of opening, or `nil`.
    func problem(
        _ text: String = "pkcs11:token=work",
        pin: String? = pin,
        module: String = module,
        options: SmartCardOptions = .patient
    ) async throws -> SmartCardError.Problem? {
        do {
            // While a session is logged in, PKCS #11 does not look at the PIN of another one.
            try await open(text, pin: pin, module: module, options: options).close()
            return nil
        } catch let error as SmartCardError {
            return error.problem
        }
    }

    /// Removes the folder.
    func remove() { try? FileManager.default.removeItem(at: folder) }

    // MARK: - The module that makes mistakes

    /// Builds the module; it passes calls on to SoftHSM.
    func makeFaultyModule() throws -> String {
        let source = HelperFile.path("faulty_module.c")
        try run("clang", "-shared", "-fPIC", "-o", path("faulty.so"), source)
        set("FAULTY_REAL", Self.module)
        set("FAULTY_LOG", path("calls"))
        return path("faulty.so")
    }

    /// The calls of the module since the last time, one letter each.
    ///
    /// The threads of the cards append to the file at any time, so that it is never emptied.
    func calls() -> String {
        let all = (try? Data(contentsOf: URL(filePath: path("calls")))) ?? Data()
        let seen = readCalls.count.withLock { count in
            defer { count = all.count }
            return count
        }
        return String(decoding: all.dropFirst(seen), as: UTF8.self)
    }

    private final class ReadCalls: Sendable {
        let count = Mutex(0)
    }
}

/// Runs `body` with cards, and removes them. An error becomes an issue, because one that leaves the process has no text.
func withSoftCards(_ body: (SoftCards) async throws -> Void) async throws {
    let cards = try SoftCards()
    defer { cards.remove() }
    do { try await body(cards) } catch { Issue.record(error) }
    // SoftHSM 2.6.1 may not let a process end that calls exit() during C_Finalize, which runs on the thread of a card.
    try await eventually("\(LoadedModule.openModules) more modules are left") { LoadedModule.openModules == 0 }
}

extension SmartCardOptions {
    /// A limit that a busy machine does not reach.
    static var patient: SmartCardOptions {
        var options = SmartCardOptions()
        options.waitLimit = .seconds(600)
        return options
    }
}
