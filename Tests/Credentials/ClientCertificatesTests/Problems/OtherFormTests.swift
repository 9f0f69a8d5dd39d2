import Foundation
import Secrets
import TestLimits
import Testing

@testable import ClientCertificates

/// Key files in the forms of other programs: read, or named with the command that converts them.
@Suite(.inTurn) struct OtherFormTests {
    private static let passphrase = SharedSecret(utf8: "secret")

    /// The identity of a certificate and a key file, or the problem.
    private func pair(_ kind: Workshop.Kind, key: [UInt8]) throws -> Result<KeyedIdentity, IdentityError> {
        let workshop = try Workshop.shared
        let certificate = try workshop.write(Array(workshop.text("\(kind.rawValue).crt").utf8), mode: 0o644)
        let path = try workshop.write(key)
        return Result { () throws(IdentityError) in
            try KeyedIdentity(
                name: "laptop",
                reading: .pair(certificates: certificate, key: path),
                passphrase: Self.passphrase
            )
        }
    }

    private func problem(_ result: Result<KeyedIdentity, IdentityError>) -> IdentityError.Problem? {
        guard case .failure(let error) = result else { return nil }
        return error.problem
    }

    @Test(
        "DER of OpenSSL: PKCS#8, encrypted or not, PKCS#1 and SEC 1",
        arguments: [
            (Workshop.Kind.rsa, ["pkcs8", "-topk8", "-nocrypt"]), (.p256, ["pkcs8", "-topk8", "-nocrypt"]),
            (.rsa, ["pkcs8", "-topk8", "-passout", "pass:secret", "-iter", "100"]),
            (.p521, ["pkcs8", "-topk8", "-passout", "pass:secret", "-iter", "100"]), (.rsa, ["rsa", "-traditional"]),
            (.p256, ["ec"]), (.p384, ["ec", "-no_public"]), (.p521, ["ec"]),
        ]
    )
    func der(kind: Workshop.Kind, command: [String]) throws {
        let workshop = try Workshop.shared
        let bytes = try OpenSSL.run(
            command + ["-in", "\(kind.rawValue).key", "-outform", "DER"],
            in: workshop.folder
        )
        let identity = try pair(kind, key: bytes).get()
        #expect(identity.key.pkcs8.copy == (try workshop.pkcs8(kind.rawValue)))
        #expect(identity.form?.container == .der)
        #expect(identity.form?.encryptions.isEmpty == !command.contains("-passout"))
        // A file with a key alone gives neither an identity nor a certificate.
        #expect(throws: IdentityError.Problem.noCertificate) {
            try KeyedIdentity(name: "laptop", parsing: bytes.span, passphrase: Self.passphrase)
        }
        let path = try workshop.write(bytes)
        let swapped = #expect(throws: IdentityError.self) {
            try KeyedIdentity(name: "laptop", reading: .pair(certificates: path, key: path))
        }
        #expect(swapped?.problem == .noCertificate)
        // A key that is cut off is refused.
        for count in [1, 2, 5, bytes.count / 2, bytes.count - 1] {
            #expect(problem(try pair(kind, key: Array(bytes.prefix(count)))) != nil)
        }
    }

    @Test("A kind of key that is not supported is named in DER too") func unsupported() throws {
        let bytes = try OpenSSL.run(
            ["pkey", "-in", "ed25519.key", "-outform", "DER"],
            in: Workshop.shared.folder
        )
        #expect(problem(try pair(.ed25519, key: bytes)) == .unsupportedKey("Ed25519"))
    }

    @Test("PEM that OpenSSL encrypts with its own fields: named, and its command converts it") func oldPEM() throws {
        let workshop = try Workshop.shared
        for (kind, program) in [(Workshop.Kind.rsa, ["rsa", "-traditional"]), (.p256, ["ec"])] {
            let name = "\(kind.rawValue).old"
            let old = try OpenSSL.run(
                program + ["-in", "\(kind.rawValue).key", "-aes128", "-passout", "pass:secret"],
                in: workshop.folder
            )
            #expect(problem(try pair(kind, key: old)) == .otherForm(.encryptedByFields))
            try workshop.write(old, name)
            #expect(OtherForm.encryptedByFields.description.contains("'openssl pkcs8 -topk8 -in FILE -out key.pem'"))
            let pass = ["-passin", "pass:secret", "-passout", "pass:secret"]
            let new = try OpenSSL.run(["pkcs8", "-topk8", "-in", name] + pass, in: workshop.folder)
            #expect(try pair(kind, key: new).get().key.pkcs8.copy == workshop.pkcs8(kind.rawValue))
        }
    }

    @Test(
        "A key of OpenSSH: named, and its command converts it",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ssh-keygen"), "needs ssh-keygen")
    )
    func openSSH() throws {
        let workshop = try Workshop.shared
        let name = "ssh-\(UUID().uuidString)"
        try OpenSSL.run(
            ["-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", name],
            in: workshop.folder,
            program: "ssh-keygen"
        )
        func bytes(_ name: String) throws -> [UInt8] {
            [UInt8](try Data(contentsOf: workshop.folder.appending(path: name)))
        }
        #expect(problem(try pair(.rsa, key: try bytes(name))) == .otherForm(.openSSH))
        #expect(problem(try pair(.rsa, key: try bytes("\(name).pub"))) == .otherForm(.publicKey))
        #expect(OtherForm.openSSH.description.contains("'ssh-keygen -p -m PKCS8 -f COPY'"))
        try OpenSSL.run(
            ["-q", "-p", "-m", "PKCS8", "-P", "", "-N", "", "-f", name],
            in: workshop.folder,
            program: "ssh-keygen"
        )
        // Another key than that of the certificate, so it was read.
        #expect(problem(try pair(.rsa, key: try bytes(name))) == .keyMatchesNoCertificate)
    }

    @Test("Public keys, requests, key stores, and PKCS#12 in place of a key or a certificate") func others() throws {
        let workshop = try Workshop.shared
        func made(_ arguments: [String]) throws -> [UInt8] { try OpenSSL.run(arguments, in: workshop.folder) }
        let files: [([UInt8], OtherForm)] = [
            (try made(["pkey", "-in", "rsa.key", "-pubout"]), .publicKey),
            (try made(["pkey", "-in", "p256.key", "-pubout", "-outform", "DER"]), .publicKey),
            (try made(["rsa", "-in", "rsa.key", "-RSAPublicKey_out"]), .publicKey),
            (Array("ecdsa-sha2-nistp256 AAAA x\n".utf8), .publicKey),
            (Array(try workshop.text("rsa.csr").utf8), .certificateRequest),
            // The first bytes of JKS and JCEKS (sun.security.provider.JavaKeyStore), with the version and no entry.
            ([0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2, 0, 0, 0, 0], .javaKeyStore),
            ([0xCE, 0xCE, 0xCE, 0xCE, 0, 0, 0, 2, 0, 0, 0, 0], .javaKeyStore),
            (Array("openssh-key-v1\0none".utf8), .openSSH),
            (Array("PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\n".utf8), .putty),
            (try workshop.pkcs12(), .pkcs12),
        ]
        for (bytes, form) in files {
            #expect(problem(try pair(.rsa, key: bytes)) == .otherForm(form), "\(form)")
            let path = try workshop.write(bytes)
            // The same in place of the certificates.
            let error = #expect(throws: IdentityError.self) {
                try KeyedIdentity(name: "laptop", reading: .pair(certificates: path, key: path))
            }
            #expect(error?.problem == .otherForm(form), "\(form)")
            guard form != .pkcs12 else { continue }
            #expect(throws: IdentityError.Problem.otherForm(form)) {
                try KeyedIdentity(name: "laptop", parsing: bytes.span)
            }
            // Other users may read this file. The error names the wrong form first, because such a file cannot hold a key.
            let open = try workshop.write(bytes, mode: 0o644)
            let first = #expect(throws: IdentityError.self) {
                try KeyedIdentity(name: "laptop", reading: .one(open))
            }
            if bytes.first != 0x30 { #expect(first?.problem == .otherForm(form), "\(form)") }
        }
        let certificate = try workshop.certificate("rsa")
        #expect(throws: IdentityError.Problem.noKey) {
            try KeyedIdentity(name: "laptop", parsing: certificate.span)
        }
        #expect(problem(try pair(.rsa, key: certificate)) == .noKey)
        #expect(problem(try pair(.rsa, key: [])) == .noKey)
    }

    @Test("Each text is one line with a remedy", arguments: OtherForm.allCases) func texts(form: OtherForm) {
        #expect(!"\(form)".contains("\n") && "\(form)".contains(": "))
        #expect("\(IdentityError.Problem.otherForm(form))" == "\(form)")
    }
}
