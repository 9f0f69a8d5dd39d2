import Secrets
import TestSupport
import Testing

@testable import ClientCertificates

/// Gives a changed file the integrity code of its contents, so that what lies behind the code is reached.
enum Sealing {
    static func sealAgain(_ bytes: [UInt8], _ passphrase: String) throws -> [UInt8] {
        let span = bytes.span
        var whole = BERReader(over: 0..<bytes.count, of: .file)
        var fields = try whole.enter(BERTag.sequence, in: span)
        _ = try fields.read(in: span)
        var data = try fields.enter(BERTag.sequence, in: span)
        _ = try data.read(in: span)
        var wrapped = try data.enter(BERTag.context0, in: span)
        let safes = try wrapped.readOctets(in: span)
        var code = fields
        var mac = try code.enter(BERTag.sequence, in: span)
        var digest = try mac.enter(BERTag.sequence, in: span)
        _ = try digest.read(in: span)
        let place = try digest.read(BERTag.octetString, in: span).contents
        let expected = try IntegrityCode(reading: &fields, in: span).code(
            of: safes,
            Passphrase(SharedSecret(utf8: passphrase))
        )
        guard let expected, expected.count == place.count else { return bytes }
        var sealed = bytes
        sealed.replaceSubrange(place, with: expected)
        return sealed
    }
}

/// Changes bits and bytes of a file in places that a seed determines.
enum Damage {
    static func check(_ encryption: Encryption, seed: UInt64, count: Int, kind: Workshop.Kind) throws {
        let bytes = try Workshop.shared.pkcs12(kind, encryption.options + ["-iter", "1"])
        let key = try Workshop.shared.pkcs8(kind.rawValue)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<count {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = changed.indices.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<4, using: &random) {
                case 0: changed[place] = UInt8.random(in: 0...255, using: &random)
                case 1: changed.remove(at: place)
                case 2: changed.insert(UInt8.random(in: 0...255, using: &random), at: place)
                default: changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                }
            }
            for file in [changed, (try? Sealing.sealAgain(changed, "secret")) ?? changed] {
                // A budget of a tenth: the damage may raise a number of iterations.
                do throws(IdentityError.Problem) {
                    let read = try PKCS12File(
                        parsing: file.span,
                        passphrase: SharedSecret(utf8: "secret"),
                        budget: WorkBudget(iterations: 20_000)
                    )
                    guard let found = read.keys.first?.key else { continue }
                    let identity = try KeyedIdentity(name: "x", certificates: read.certificates, key: found)
                    // What is read in spite of the damage is the key itself.
                    #expect(identity.key.pkcs8.copy == key)
                } catch {
                    #expect(!error.description.contains("\n"))
                }
            }
        }
    }
}
