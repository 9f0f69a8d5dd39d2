import Credentials
import Foundation
import Secrets
import TestLimits
import TestSupport
import Testing

@testable import ClientCertificates

/// Files of OpenSSL and of NSS, which are read as they read them.
@Suite(.inTurn) struct PKCS12AgreementTests {
    private func read(_ bytes: [UInt8], _ passphrase: String? = "secret") throws -> KeyedIdentity {
        try KeyedIdentity(name: "laptop", parsing: bytes.span, passphrase: passphrase.map { SharedSecret(utf8: $0) })
    }

    private func check(_ found: KeyedIdentity, _ kind: Workshop.Kind) throws {
        let workshop = try Workshop.shared
        #expect(found.key.pkcs8.copy == (try workshop.pkcs8(kind.rawValue)))
        let chain = try [kind.rawValue, "middle", "root"].map(workshop.certificate)
        #expect(found.identity.certificateChain == chain)
    }

    @Test(
        "Row 64: every encryption of a .p12 file",
        .row(64),
        arguments: Encryption.allCases,
        [Workshop.Kind.rsa, .p256]
    )
    func encryptions(encryption: Encryption, kind: Workshop.Kind) throws {
        try check(read(Workshop.shared.pkcs12(kind, encryption.options)), kind)
    }

    @Test("Every kind of key, with the iterations that OpenSSL chooses", arguments: [Workshop.Kind.p384, .p521])
    func kinds(kind: Workshop.Kind) throws { try check(read(Workshop.shared.pkcs12(kind, ["-iter", "2048"])), kind) }

    @Test("Every hash of the integrity code", arguments: ["sha1", "sha256", "sha384", "sha512"])
    func codes(hash: String) throws {
        try check(read(Workshop.shared.pkcs12(.p256, ["-macalg", hash])), .p256)
    }

    @Test(
        "Passphrases: longer than a block, with letters of two, three and four bytes, and blanks",
        arguments: ["p", "pässwörd € ", "😀 key", String(repeating: "long ", count: 40)],
        [Encryption.aes256, .tripleDES]
    )
    func passphrases(passphrase: String, encryption: Encryption) throws {
        let bytes = try Workshop.shared.pkcs12(.p256, encryption.options + ["-iter", "10"], passphrase: passphrase)
        try check(read(bytes, passphrase), .p256)
        #expect(throws: IdentityError.Problem.wrongPassphrase) { try read(bytes, passphrase + "x") }
        #expect(throws: IdentityError.Problem.passphraseNeeded) { try read(bytes, nil) }
    }

    @Test("Passphrases whose bytes OpenSSL before 1.1 took for characters", arguments: ["pässwörd", "€", "😀 key"])
    func bytewise(passphrase: String) throws {
        let workshop = try Workshop.shared
        // Such a file is one of the passphrase whose characters are those bytes.
        let asBytes = String(String.UnicodeScalarView(passphrase.utf8.map { Unicode.Scalar($0) }))
        let bytes = try workshop.pkcs12(.p256, Encryption.tripleDES.options + ["-iter", "10"], passphrase: asBytes)
        try check(read(bytes, passphrase), .p256)
        #expect(throws: IdentityError.Problem.wrongPassphrase) { try read(bytes, passphrase + "x") }
        // OpenSSL of today reads it with either passphrase.
        let file = "bytewise-\(UUID()).p12"
        try Data(bytes).write(to: workshop.folder.appending(path: file))
        try OpenSSL.run(
            ["pkcs12", "-legacy", "-in", file, "-nodes", "-passin", "pass:\(passphrase)"],
            in: workshop.folder
        )
    }

    @Test(
        "Passphrases that OpenSSL got in ISO 8859-1: its PBKDF2 takes the bytes as they are",
        arguments: [Encryption.aes256, .tripleDES],
        ["pässwörd", "ÿ", "plain"]
    )
    func latin1(encryption: Encryption, passphrase: String) throws {
        let workshop = try Workshop.shared
        let octets = passphrase.unicodeScalars.map { UInt8($0.value) }
        let pass = ["-passout", "file:\(try workshop.write(octets + [0x0A]))", "-iter", "10"]
        let name = ["-inkey", "p256.key", "-in", "p256.crt", "-certfile", "chain.pem"]
        let file = try OpenSSL.run(["pkcs12", "-export"] + name + encryption.options + pass, in: workshop.folder)
        try check(read(file, passphrase), .p256)
        #expect(throws: IdentityError.Problem.wrongPassphrase) { try read(file, passphrase + "x") }
        let key = try OpenSSL.run(["pkcs8", "-topk8", "-in", "p256.key"] + pass, in: workshop.folder)
        let pem = try String(decoding: key, as: UTF8.self) + workshop.text("p256.crt") + workshop.text("chain.pem")
        try check(read(Array(pem.utf8), passphrase), .p256)
        for wrong in [passphrase + "x", "€", "Ã¤"] {
            #expect(throws: IdentityError.Problem.wrongPassphrase) { try read(Array(pem.utf8), wrong) }
        }
    }

    @Test(
        "Files of GnuTLS: every cipher that is read, in DER and in PEM",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/certtool"), "needs gnutls-bin"),
        arguments: ["3des", "3des-pkcs12", "aes-128", "aes-192", "aes-256", "rc2-40"],
        [["--outder"], []]
    )
    func gnuTLS(cipher: String, form: [String]) throws {
        let workshop = try Workshop.shared
        let file = "gnutls-\(UUID())"
        let options = [
            "--to-p12", "--load-privkey", "p256.key", "--load-certificate", "p256.crt", "--p12-name", "laptop 7",
        ]
        let all = options + ["--pkcs-cipher", cipher, "--password", "secret", "--outfile", file] + form
        try OpenSSL.run(all, in: workshop.folder, program: "certtool")
        let bytes = [UInt8](try Data(contentsOf: workshop.folder.appending(path: file)))
        #expect(bytes.starts(with: Array("-----BEGIN PKCS12".utf8)) == form.isEmpty)
        let found = try read(bytes)
        #expect(found.key.pkcs8.copy == (try workshop.pkcs8("p256")))
        #expect(found.identity.certificateChain == [try workshop.certificate("p256")])
        #expect(found.form?.container == .pkcs12)
    }

    @Test("An empty passphrase is the same as none", arguments: [Encryption.aes256, .tripleDES, .none])
    func empty(encryption: Encryption) throws {
        let bytes = try Workshop.shared.pkcs12(.p256, encryption.options + ["-iter", "10"], passphrase: "")
        try check(read(bytes, ""), .p256)
        try check(read(bytes, nil), .p256)
    }

    @Test(
        "Files of NSS, whose lengths are not known at the beginning",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/pk12util"), "needs libnss3-tools")
    )
    func nss() throws {
        let workshop = try Workshop.shared
        let folder = workshop.folder.appending(path: "nss-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let database = "sql:\(folder.path)"
        let file = try workshop.write(workshop.pkcs12(.rsa))
        try OpenSSL.run(["-N", "-d", database, "--empty-password"], in: folder, program: "certutil")
        try OpenSSL.run(["-i", file, "-W", "secret", "-d", database], in: folder, program: "pk12util")
        try OpenSSL.run(
            ["-o", "out.p12", "-n", "laptop 7", "-W", "other", "-d", database],
            in: folder,
            program: "pk12util"
        )
        let bytes = [UInt8](try Data(contentsOf: folder.appending(path: "out.p12")))
        #expect(bytes[1] == 0x80)
        try check(read(bytes, "other"), .rsa)
    }
}
