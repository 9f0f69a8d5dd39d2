import Hostnames
import SPKIPins
import TestSupport
import Testing

@testable import PinAudits

/// What the compiler of policies refuses when certificates are known, the audit finds when it is given the same ones.
@Suite struct BackupRuleTests {
    private static let now: Int64 = 1_782_864_000

    /// A certificate of the key `number`, whose algorithm is RSA or RSASSA-PSS with the same modulus and exponent.
    private static func certificate(_ number: UInt8, isPSS: Bool = false, subject: String, issuer: String) -> [UInt8] {
        var certificate = HandmadeCertificate()
        // RFC 8017 appendix C: rsaEncryption is 1, id-RSASSA-PSS is 10.
        let identifier = der(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, isPSS ? 10 : 1])
        certificate[.keyAlgorithm] = der(0x30, identifier, isPSS ? [] : [5, 0])
        certificate[.keyBits] = der(0x03, [0] + der(0x30, der(0x02, [0, 0xFF, number]), der(0x02, [1, 0, 1])))
        certificate[.subject] = name(subject)
        certificate[.issuer] = name(issuer)
        return certificate.bytes
    }

    private static func name(_ text: String) -> [UInt8] {
        der(0x30, der(0x31, der(0x30, der(0x06, [0x55, 0x04, 0x03]), der(0x0C, [UInt8](text.utf8)))))
    }

    private static func entry(_ pins: [Pin], _ backups: [Pin]) -> PinPolicy.Entry {
        let backups = backups.map { PositionedPin($0) }
        return .init(host: "host.example", pins: pins.map { .init($0) }, backup: .pins(backups), expiry: nil)
    }

    private static func pin(_ certificate: [UInt8]) throws -> Pin { try Pin(ofCertificate: certificate.span) }

    private static func problems(_ entry: PinPolicy.Entry, _ change: (inout PinAudit) throws -> Void) rethrows
        -> [PinSetProblem]
    {
        var audit = PinAudit()
        audit.policies = [[entry]]
        try change(&audit)
        return audit.findings(at: now).compactMap { if case .set(let problem) = $0.problem { problem } else { nil } }
    }

    @Test func theKeyUnderAnotherIdentifier() throws {
        let primary = Self.certificate(3, subject: "a", issuer: "CA1")
        let backup = Self.certificate(3, isPSS: true, subject: "b", issuer: "CA2")
        let pins = (try Self.pin(primary), try Self.pin(backup))
        let found = PinSetProblem.backupHasPrimaryKey(backup: pins.1, primary: pins.0)
        let entry = Self.entry([pins.0], [pins.1])
        #expect(throws: PinPolicyError.backupHasPrimaryKey(entry: 0, pin: pins.1)) {
            try PinPolicy(compiling: [entry], version: 1, at: 0, knownCertificates: [primary, backup])
        }
        #expect(Self.problems(entry) { $0.certificates = [primary, backup] }.contains(found))
        #expect(found.severity == .warning)
        // A key needs no certificate to be the same.
        let info = try #require(try? CertificateWalk(of: backup.span)).subjectPublicKeyInfo.range
        let keys = Self.problems(entry) {
            $0.certificates = [primary]
            $0.subjectPublicKeyInfos = [Array(backup[info])]
        }
        #expect(keys.contains(found))
        // If backups are not marked, the backup of two pins is this one; of three it may be another.
        var undecided = Self.entry([pins.0, pins.1], [])
        undecided.backup = .amongPins
        #expect(Self.problems(undecided) { $0.certificates = [primary, backup] }.contains(found))
        undecided.pins.append(PositionedPin(NamedCertificate.pin("offline")))
        #expect(!Self.problems(undecided) { $0.certificates = [primary, backup] }.contains(found))
    }

    @Test func theAuthorityOfOneOfTwoPrimaries() throws {
        let primary = [("a", "CA1"), ("b", "CA2")].enumerated().map {
            Self.certificate(UInt8($0 + 1), subject: $1.0, issuer: $1.1)
        }
        let backup = Self.certificate(7, subject: "c", issuer: "CA1")
        let pins = try (primary + [backup]).map(Self.pin)
        let entry = Self.entry([pins[0], pins[1]], [pins[2]])
        #expect(throws: PinPolicyError.backupOfSameAuthority(entry: 0, pin: pins[2])) {
            try PinPolicy(compiling: [entry], version: 1, at: 0, knownCertificates: primary + [backup])
        }
        let found = PinSetProblem.dependentBackup(backup: pins[2], primary: pins[0])
        #expect(Self.problems(entry) { $0.certificates = primary + [backup] }.contains(found))
        let elsewhere = Self.certificate(8, subject: "d", issuer: "CA3")
        let sound = Self.entry([pins[0], pins[1]], [pins[2], try Self.pin(elsewhere)])
        #expect(!Self.problems(sound) { $0.certificates = primary + [backup, elsewhere] }.contains(found))
    }

    /// Few names and keys, so that all of them meet; some keys have several certificates, and some none at hand.
    @Test("The audit finds what the compiler refuses, and both follow the rule for each pair")
    func agreesWithTheCompiler() throws {
        var seen = (sound: 0, sameKey: 0, sameAuthority: 0, dependent: 0)
        for seed in UInt64(1)...600 {
            let policy = try RandomPolicy(seed: seed)
            let rule = PairwiseBackupRule(known: policy.known)
            let answer = rule.answer(primary: policy.primary, backups: policy.backups)
            let refusal = policy.refusal()
            let found = Self.problems(policy.entry) { $0.certificates = policy.known.map(RandomPolicy.bytes) }
            let sameKey = found.compactMap { if case .backupHasPrimaryKey(let pin, _) = $0 { pin } else { nil } }
            let dependent = found.compactMap { if case .dependentBackup(let pin, _) = $0 { pin } else { nil } }
            let causes = found.filter { ["related-backup", "one-authority", "dependent-backup"].contains($0.name) }
            switch answer {
            case .sound:
                // Paths over several certificates are the audit's alone.
                #expect(refusal == nil && sameKey.isEmpty && dependent.isEmpty, "seed \(seed)")
                seen.sound += 1
            case .sameKey(let name):
                let pin = policy.pin(name)
                #expect(refusal == .backupHasPrimaryKey(entry: 0, pin: pin) && sameKey == [pin], "seed \(seed)")
                seen.sameKey += 1
            case .sameAuthority:
                guard case .backupOfSameAuthority(entry: 0, let pin) = refusal else {
                    Issue.record("seed \(seed): \(String(describing: refusal))")
                    continue
                }
                #expect(sameKey.isEmpty && !causes.isEmpty && dependent.allSatisfy { $0 == pin }, "seed \(seed)")
                seen.sameAuthority += 1
                seen.dependent += dependent.count
            }
        }
        #expect(min(seen.sound, seen.sameKey, seen.sameAuthority, seen.dependent) > 20, "\(seen)")
    }

    /// A policy of one entry, and the certificates at hand.
    private struct RandomPolicy {
        let known: [PairwiseBackupRule.Certificate]
        let primary: [String]
        let backups: [String]
        private let pins: [String: Pin]

        init(seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            let names = ["CA1", "CA2", "CA3", "a", "b", "c", "d"].prefix(Int.random(in: 2...7, using: &random))
            var all: [PairwiseBackupRule.Certificate] = []
            for _ in 0..<Int.random(in: 2...6, using: &random) {
                let certificate = PairwiseBackupRule.Certificate(
                    key: UInt8.random(in: 1...8, using: &random),
                    isPSS: Int.random(in: 0..<4, using: &random) == 0,
                    subject: names.randomElement(using: &random) ?? "",
                    issuer: names.randomElement(using: &random) ?? ""
                )
                all.append(certificate)
            }
            let pinned = Set(all.map(\.name)).sorted().shuffled(using: &random)
            let count = max(1, pinned.count - Int.random(in: 1...2, using: &random))
            let isAnyUnknown = count == pinned.count || Int.random(in: 0..<6, using: &random) == 0
            primary = Array(pinned[..<count])
            backups = pinned[count...] + (isAnyUnknown ? ["offline"] : [])
            known = all.filter { _ in Int.random(in: 0..<8, using: &random) > 0 }
            var pins = ["offline": NamedCertificate.pin("offline")]
            for certificate in all { pins[certificate.name] = try BackupRuleTests.pin(Self.bytes(certificate)) }
            self.pins = pins
        }

        static func bytes(_ one: PairwiseBackupRule.Certificate) -> [UInt8] {
            BackupRuleTests.certificate(one.key, isPSS: one.isPSS, subject: one.subject, issuer: one.issuer)
        }

        func pin(_ name: String) -> Pin { pins[name] ?? NamedCertificate.pin(name) }

        var entry: PinPolicy.Entry { BackupRuleTests.entry(primary.map(pin), backups.map(pin)) }

        func refusal() -> PinPolicyError? {
            do throws(PinPolicyError) {
                _ = try PinPolicy(compiling: [entry], version: 1, at: 0, knownCertificates: known.map(Self.bytes))
                return nil
            } catch {
                return error
            }
        }
    }
}
