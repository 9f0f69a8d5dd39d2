import Foundation
import Secrets
import TestLimits
import TestSupport
import Testing

@testable import ClientCertificates

@Suite(.inTurn) struct PKCS12RefusalTests {
    private let secret = SharedSecret(utf8: "secret")

    private func problem(_ bytes: [UInt8], _ passphrase: SharedSecret? = nil) -> IdentityError.Problem? {
        do throws(IdentityError.Problem) {
            _ = try KeyedIdentity(name: "laptop", parsing: bytes.span, passphrase: passphrase ?? secret)
            return nil
        } catch {
            #expect(!error.description.contains("\n"))
            return error
        }
    }

    /// The files that end the process in NIOSSL's reader, with every encryption that hides what they hold.
    @Test("Row 64: a file without key, certificate or both is an error", .row(64), arguments: Encryption.allCases)
    func missing(encryption: Encryption) throws {
        let workshop = try Workshop.shared
        let options = ["pkcs12", "-export", "-passout", "pass:secret", "-iter", "100"] + encryption.options
        let onlyKey = try OpenSSL.run(options + ["-nocerts", "-inkey", "p256.key"], in: workshop.folder)
        let onlyCertificate = try OpenSSL.run(options + ["-nokeys", "-in", "p256.crt"], in: workshop.folder)
        #expect(problem(onlyKey) == .noCertificate)
        #expect(problem(onlyCertificate) == .noKey)
    }

    @Test("A file with nothing in it")
    func empty() throws {
        // Safes: none. The integrity code is computed by OpenSSL from the key that its pkcs12kdf derives.
        let safes: [UInt8] = [0x30, 0x00]
        let key = try OpenSSL.run(
            [
                "kdf", "-keylen", "32", "-kdfopt", "digest:SHA256", "-kdfopt",
                "hexpass:007300650063007200650074" + "0000",
                "-kdfopt", "hexsalt:0102030405060708", "-kdfopt", "iter:1", "-kdfopt", "id:3", "-binary", "PKCS12KDF",
            ],
            in: Workshop.shared.folder
        )
        let file = try Workshop.shared.write(safes)
        let digits = key.map { String(format: "%02x", $0) }.joined()
        let code = try OpenSSL.run(
            ["dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:\(digits)", "-binary", file],
            in: Workshop.shared.folder
        )
        let algorithm: [UInt8] = [0x30, 0x0B, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
        func sequence(_ contents: [UInt8]) -> [UInt8] { [0x30, UInt8(contents.count)] + contents }
        let data: [UInt8] = [
            0x30, 0x11, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01, 0xA0, 0x04, 0x04, 0x02,
        ]
        let mac = sequence(sequence(algorithm + [0x04, 0x20] + code) + [0x04, 0x08, 1, 2, 3, 4, 5, 6, 7, 8])
        let contents = [0x02, 0x01, 0x03] + data + safes + mac
        // Long enough for the form of a length that no text has.
        let bytes: [UInt8] = [0x30, 0x81, UInt8(contents.count)] + contents
        #expect(problem(bytes) == .noKey)
        #expect(problem(bytes, SharedSecret(utf8: "other")) == .wrongPassphrase)
    }

    @Test("Without an integrity code nothing is read")
    func noCode() throws {
        #expect(problem(try Workshop.shared.pkcs12(.p256, ["-nomac"])) == .noIntegrityCode)
    }

    @Test("Algorithms that are not supported are named")
    func unsupported() throws {
        let rc4 = try Workshop.shared.pkcs12(.p256, ["-legacy", "-certpbe", "PBE-SHA1-RC4-128"])
        #expect(problem(rc4) == .unsupported("1.2.840.113549.1.12.1.1"))
        let md5 = try Workshop.shared.pkcs12(.p256, ["-macalg", "md5"])
        #expect(problem(md5) == .unsupported("1.2.840.113549.2.5"))
        #expect(problem(try Workshop.shared.pkcs12(.ed25519)) == .unsupportedKey("Ed25519"))
    }

    @Test("The iterations are bounded before they are run", arguments: [Encryption.aes256, .tripleDES], 0..<3)
    func costly(encryption: Encryption, place: Int) throws {
        let bytes = try Workshop.shared.pkcs12(.p256, encryption.options + ["-iter", "32768"])
        // INTEGER 32,768; of the code, the certificates and, decrypted later, the key.
        let places = bytes.indices.dropLast(4).filter { Array(bytes[$0..<$0 + 5]) == [2, 3, 0, 0x80, 0] }
        #expect(places.count == 3)
        guard places.indices.contains(place) else { return }
        for value in [[0x7F, 0xFF, 0xFF], [0, 0, 0]] as [[UInt8]] {
            var changed = bytes
            changed.replaceSubrange(places[place] + 2..<places[place] + 5, with: value)
            // Beyond the code the file is another one, so it is sealed again.
            if place < 2 { changed = try Sealing.sealAgain(changed, "secret") }
            #expect(problem(changed) == .tooCostly)
        }
    }

    @Test("Too large, something else, nothing")
    func others() throws {
        #expect(problem([0x30, 0x83] + [UInt8](repeating: 0, count: IdentityLimits.fileBytes)) == .tooLarge)
        #expect(problem(try Workshop.shared.certificate("p256")) == .noKey)
        #expect(problem([]) == .notPEM)
        #expect(problem([0x30]) == .notPEM)
        #expect(problem([0x30, 0x80]) == .notPKCS12)
        #expect(problem([UInt8](repeating: 0x30, count: 1 << 20)) == .notPEM)
        // Elements whose end is marked, inside each other.
        let nested: [UInt8] = [0x30, 0x80, 2, 1, 3] + [[UInt8]](repeating: [0x30, 0x80], count: 200_000).joined()
        #expect(problem(nested) == .malformed(.file))
    }

    @Test("A passphrase that is too long or not UTF-8")
    func passphrase() throws {
        let bytes = try Workshop.shared.pkcs12()
        var broken: [UInt8] = [0x70, 0xFF]
        #expect(problem(bytes, SharedSecret(SecretBytes(consuming: &broken))) == .unusablePassphrase)
        let long = SharedSecret(utf8: String(repeating: "x", count: IdentityLimits.passphraseBytes + 1))
        #expect(problem(bytes, long) == .unusablePassphrase)
    }

    @Test("Every truncation is refused", arguments: Encryption.allCases)
    func truncated(encryption: Encryption) throws {
        let bytes = try Workshop.shared.pkcs12(.p256, encryption.options + ["-iter", "1"])
        for length in bytes.indices {
            #expect(problem(Array(bytes[..<length])) != nil, "\(length)")
        }
    }

    @Test("Damage is refused or does no harm", arguments: Encryption.allCases, UInt64(1)...2)
    func damaged(encryption: Encryption, seed: UInt64) throws {
        try Damage.check(encryption, seed: seed, count: 60, kind: .p256)
    }
}
