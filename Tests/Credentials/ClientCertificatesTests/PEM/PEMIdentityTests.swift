import Credentials
import Foundation
import SPKIPins
import Secrets
import TestLimits
import Testing

@testable import ClientCertificates

@Suite(.inTurn) struct PEMIdentityTests {
    private func read(_ text: String, _ passphrase: String? = nil) throws -> KeyedIdentity {
        let bytes = Array(text.utf8)
        return try KeyedIdentity(
            name: "laptop",
            parsing: bytes.span,
            passphrase: passphrase.map { SharedSecret(utf8: $0) }
        )
    }

    private func encrypted(_ kind: Workshop.Kind, _ options: [String]) throws -> String {
        let arguments = ["pkcs8", "-topk8", "-in", "\(kind.rawValue).key", "-passout", "pass:secret", "-iter", "100"]
        return String(decoding: try OpenSSL.run(arguments + options, in: Workshop.shared.folder), as: UTF8.self)
    }

    @Test("One file or two, the certificates in any order", arguments: [Workshop.Kind.rsa, .p256, .p384, .p521])
    func plain(kind: Workshop.Kind) throws {
        let workshop = try Workshop.shared
        let name = kind.rawValue
        let chain = try [name, "middle", "root"].map(workshop.certificate)
        let one = try workshop.text("chain.pem") + workshop.text("\(name).key") + workshop.text("\(name).crt")
        let certificates = try workshop.text("\(name).crt") + workshop.text("chain.pem")
        let found = try [
            read(one),
            KeyedIdentity(name: "laptop", reading: .one(workshop.write(Array(one.utf8)))),
            KeyedIdentity(
                name: "laptop",
                reading: .pair(
                    certificates: workshop.write(Array(certificates.utf8), mode: 0o644),
                    key: workshop.write(Array(workshop.text("\(name).key").utf8))
                )
            ),
        ]
        for identity in found {
            #expect(identity.key.pkcs8.copy == (try workshop.pkcs8(name)))
            #expect(identity.identity.certificateChain == chain)
            #expect("\(identity)" == "identity 'laptop'")
        }
        // The times of `openssl x509 -enddate -dateopt iso_8601`.
        let end = try OpenSSL.run(
            ["x509", "-in", "\(name).crt", "-noout", "-enddate", "-dateopt", "iso_8601"],
            in: workshop.folder
        )
        let text = String(decoding: end, as: UTF8.self).dropFirst("notAfter=".count).prefix(20)
        let date = try Date(String(text).replacingOccurrences(of: " ", with: "T"), strategy: .iso8601)
        #expect(found[0].notAfter == Int64(date.timeIntervalSince1970))
        #expect(found[0].isValid(at: found[0].notAfter) && !found[0].isValid(at: found[0].notAfter + 1))
        #expect(found[0].isValid(at: found[0].notBefore) && !found[0].isValid(at: found[0].notBefore - 1))
    }

    @Test("The older forms of a key")
    func older() throws {
        let workshop = try Workshop.shared
        for (name, program) in [("rsa", "rsa"), ("p256", "ec"), ("p521", "ec")] {
            let options = program == "rsa" ? ["-traditional"] : []
            let old = try OpenSSL.run([program, "-in", "\(name).key"] + options, in: workshop.folder)
            let text = try String(decoding: old, as: UTF8.self) + workshop.text("\(name).crt")
            #expect(text.contains(program == "rsa" ? "BEGIN RSA PRIVATE" : "BEGIN EC PRIVATE"))
            #expect(try read(text).key.pkcs8.copy == workshop.pkcs8(name))
        }
    }

    @Test(
        "Encrypted keys",
        arguments: [
            [], ["-v2", "aes-128-cbc"], ["-v2", "des3"], ["-v2prf", "hmacWithSHA1"], ["-v2prf", "hmacWithSHA512"],
            ["-v1", "PBE-SHA1-3DES"], ["-v1", "PBE-SHA1-2DES"],
        ],
        [Workshop.Kind.rsa, .p384]
    )
    func encrypted(options: [String], kind: Workshop.Kind) throws {
        let workshop = try Workshop.shared
        let text = try encrypted(kind, options) + workshop.text("\(kind.rawValue).crt")
        #expect(try read(text, "secret").key.pkcs8.copy == workshop.pkcs8(kind.rawValue))
        #expect(throws: IdentityError.Problem.passphraseNeeded) { try read(text) }
        for wrong in ["", "Secret", "secret "] {
            #expect(throws: IdentityError.Problem.wrongPassphrase) { try read(text, wrong) }
        }
    }

    @Test("What is refused")
    func refused() throws {
        let workshop = try Workshop.shared
        let certificate = try workshop.text("p256.crt")
        let key = try workshop.text("p256.key")
        func expect(_ problem: IdentityError.Problem, _ text: String, line: SourceLocation = #_sourceLocation) {
            #expect(throws: problem, sourceLocation: line) { try read(text, "secret") }
        }
        expect(.noKey, certificate)
        expect(.noCertificate, key)
        expect(.notPEM, "no PEM")
        expect(.severalKeys(["CN=p256,O=Example", "key 2"]), certificate + key + (try workshop.text("p384.key")))
        expect(.keyMatchesNoCertificate, try workshop.text("p384.crt") + key)
        expect(.unsupportedKey("Ed25519"), try workshop.text("ed25519.crt") + workshop.text("ed25519.key"))
        expect(.malformed(.block), certificate + key.replacing("\n-----END", with: "!\n-----END"))
        expect(.malformed(.key), certificate + "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n")
        expect(.damagedPEM(.unterminated(line: 1)), "-----BEGIN CERTIFICATE-----\nMAA=\n")
        expect(
            .unreadableCertificate(number: 1),
            "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n" + key
        )
        let many = String(repeating: certificate, count: IdentityLimits.certificates + 1)
        expect(.tooManyCertificates, many + key)

        let old = try OpenSSL.run(
            ["rsa", "-in", "rsa.key", "-traditional", "-aes128", "-passout", "pass:secret"],
            in: workshop.folder
        )
        expect(
            .otherForm(.encryptedByFields),
            try String(decoding: old, as: UTF8.self) + workshop.text("rsa.crt")
        )
        let short = try OpenSSL.run(
            ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"],
            in: workshop.folder
        )
        expect(.unsupportedKey("RSA of less than 2048 bits"), certificate + String(decoding: short, as: UTF8.self))
        let curve = try OpenSSL.run(
            ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"],
            in: workshop.folder
        )
        expect(.unsupportedKey("EC on 1.3.132.0.10"), certificate + String(decoding: curve, as: UTF8.self))
        expect(.unsupported("1.3.6.1.4.1.11591.4.11"), try encrypted(.p256, ["-scrypt"]) + certificate)
    }

    @Test("A key file that others may use, a missing one, a folder, a long one")
    func files() throws {
        let workshop = try Workshop.shared
        let text = try Array((workshop.text("p256.crt") + workshop.text("p256.key")).utf8)
        func problem(_ files: IdentityFiles) -> IdentityError? {
            do throws(IdentityError) {
                _ = try KeyedIdentity(name: "laptop", reading: files)
                return nil
            } catch {
                return error
            }
        }
        for mode in [0o640, 0o604, 0o620] {
            let path = try workshop.write(text, mode: mode)
            let expected = IdentityError(place: path, problem: .othersMayUse(mode: UInt16(mode)))
            #expect(problem(.one(path)) == expected)
            #expect(problem(.pair(certificates: path, key: path)) == expected)
            #expect(
                expected.description.hasPrefix("\(path): other users may use the file (mode \(String(mode, radix: 8)))")
            )
        }
        #expect(problem(.one("/nonexistent/x"))?.problem == .missing)
        #expect(problem(.pair(certificates: "/nonexistent/x", key: "/nonexistent/y"))?.place == "/nonexistent/x")
        #expect(problem(.one(workshop.folder.path)) != nil)
        let long = try workshop.write([UInt8](repeating: 0x41, count: IdentityLimits.fileBytes + 1))
        #expect(problem(.one(long))?.problem == .tooLarge)
        #expect(problem(.pair(certificates: long, key: long))?.problem == .tooLarge)
    }
}
