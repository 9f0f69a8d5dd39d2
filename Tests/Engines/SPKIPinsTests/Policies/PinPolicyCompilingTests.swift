import Hostnames
import SPKIPins
import TestLimits
import TestSupport
import Testing

@Suite(.inTurn) struct PinPolicyCompilingTests {
    private static func entry(
        _ host: String = "host.example",
        pins: [UInt8] = [1],
        backup: [UInt8] = [2],
        expiry: Int64? = nil
    ) -> PinPolicy.Entry {
        PinPolicy.Entry(
            host: host,
            pins: pins.map { PositionedPin(.numbered($0)) },
            backup: .pins(backup.map { PositionedPin(.numbered($0)) }),
            expiry: expiry
        )
    }

    private static func single(reason: String) -> PinPolicy.Entry {
        var entry = Self.entry()
        entry.backup = .unsafeSinglePin(reason: reason)
        return entry
    }

    private func compile(_ entries: [PinPolicy.Entry]) throws(PinPolicyError) -> PinPolicy {
        try PinPolicy(compiling: entries, version: 7, at: 1000)
    }

    @Test(
        "S10, S14: a policy that would fail later, or do nothing, does not compile",
        arguments: [
            ([], .empty),
            ([entry(pins: [])], .noPins(entry: 0)),
            ([entry(), entry("other.example", backup: [])], .noBackupPin(entry: 1)),
            ([single(reason: "")], .noReason(entry: 0)),
            ([single(reason: " \n")], .noReason(entry: 0)),
            ([entry(pins: [1, 3, 1])], .duplicatePin(entry: 0, pin: .numbered(1))),
            ([entry(backup: [2, 4, 2])], .duplicatePin(entry: 0, pin: .numbered(2))),
            ([entry(pins: [1, 2], backup: [3, 1])], .backupIsPrimary(entry: 0, pin: .numbered(1))),
            ([entry(expiry: 1000)], .alreadyExpired(entry: 0, expiry: 1000, now: 1000)),
            ([entry(), entry("*.a.example"), entry("HOST.example.")], .duplicatePattern(entry: 2, first: 0)),
            ([entry("*.a.example"), entry("*.A.example")], .duplicatePattern(entry: 1, first: 0)),
        ] as [([PinPolicy.Entry], PinPolicyError)]
    )
    func refused(entries: [PinPolicy.Entry], error: PinPolicyError) {
        #expect(throws: error) { try compile(entries) }
    }

    @Test func tooManyPins() {
        var crowded = Self.entry()
        crowded.pins = Array(repeating: PositionedPin(.numbered(1)), count: PinPolicy.mostPinsPerEntry)
        let error = PinPolicyError.tooManyPins(entry: 0, count: 4097, limit: 4096)
        #expect(throws: error) { try compile([crowded]) }
    }

    @Test("What nearly is one of these compiles")
    func accepted() throws {
        let entries = [
            Self.entry(expiry: 1001), Self.entry("*.host.example"), Self.entry("**.host.example"),
            Self.entry("localhost"), Self.entry("192.0.2.1"), Self.entry("co.uk"), Self.entry("**.host.co.uk"),
            // An exception among the suffixes (publicsuffix.org).
            Self.entry("*.city.kawasaki.jp"),
        ]
        #expect(try compile(entries).version == 7)
        _ = try compile([Self.single(reason: "the key lives in a module that holds one")])
    }

    @Test("Two pins are needed if none is marked as the backup", .row(86))
    func amongPins() throws {
        var entry = Self.entry(pins: [1, 3])
        entry.backup = .amongPins
        _ = try compile([entry])
        entry.pins.removeLast()
        #expect(throws: PinPolicyError.noBackupPin(entry: 0)) { try compile([entry]) }
    }

    @Test("What is expected cannot be forbidden")
    func forbidden() {
        for (number, error) in [
            (1, .forbiddenIsExpected(entry: 0, pin: .numbered(1))),
            (2, .forbiddenIsExpected(entry: 0, pin: .numbered(2))),
        ] as [(UInt8, PinPolicyError)] {
            var entry = Self.entry()
            entry.forbidden = [.numbered(number)]
            #expect(throws: error) { try compile([entry]) }
        }
        var twice = Self.entry()
        twice.forbidden = [.numbered(7), .numbered(7)]
        #expect(throws: PinPolicyError.duplicatePin(entry: 0, pin: .numbered(7))) { try compile([twice]) }
    }

    private static func certificate(key: UInt8, algorithm: UInt8 = 0x70, issuer: UInt8, subject: UInt8) -> [UInt8] {
        var certificate = HandmadeCertificate()
        certificate[.keyAlgorithm] = der(0x30, der(0x06, [0x2B, 0x65, algorithm]))
        certificate[.keyBits] = der(0x03, [0, key])
        certificate[.issuer] = der(0x30, [issuer])
        certificate[.subject] = der(0x30, [subject])
        return certificate.bytes
    }

    @Test("S10: where certificates are known, a backup must not hang on the primary's key or authority")
    func knownCertificates() throws {
        let primary = Self.certificate(key: 1, issuer: 50, subject: 1)
        func compile(_ backups: [[UInt8]], alsoUnknown: Bool = false) throws {
            let pins = try backups.map { PositionedPin(try Pin(ofCertificate: $0.span)) }
            let entry = PinPolicy.Entry(
                host: "host.example",
                pins: [PositionedPin(try Pin(ofCertificate: primary.span))],
                backup: .pins(pins + (alsoUnknown ? [PositionedPin(.numbered(9))] : [])),
                expiry: nil
            )
            _ = try PinPolicy(compiling: [entry], version: 1, at: 0, knownCertificates: [primary] + backups)
        }
        let sameKey = Self.certificate(key: 1, algorithm: 0x71, issuer: 60, subject: 2)
        let sameKeyPin = try Pin(ofCertificate: sameKey.span)
        #expect(throws: PinPolicyError.backupHasPrimaryKey(entry: 0, pin: sameKeyPin)) { try compile([sameKey]) }
        let sibling = Self.certificate(key: 2, issuer: 50, subject: 2)
        let siblingPin = try Pin(ofCertificate: sibling.span)
        #expect(throws: PinPolicyError.backupOfSameAuthority(entry: 0, pin: siblingPin)) { try compile([sibling]) }
        let parent = Self.certificate(key: 3, issuer: 51, subject: 50)
        #expect(throws: PinPolicyError.self) { try compile([parent]) }
        let elsewhere = Self.certificate(key: 4, issuer: 60, subject: 4)
        try compile([elsewhere])
        try compile([sibling, elsewhere])
        try compile([sibling], alsoUnknown: true)
        #expect(throws: PinPolicyError.unreadableCertificate(index: 0, reason: .indefiniteLength(offset: 1))) {
            try PinPolicy(compiling: [Self.entry()], version: 1, at: 0, knownCertificates: [[0x30, 0x80]])
        }
    }

    @Test(
        "Wildcards stand at the start, above two labels of one owner, and not over addresses",
        arguments: [
            ("*.com", .wildcardAboveSingleLabel),
            ("**.com", .wildcardAboveSingleLabel),
            ("*.com.", .wildcardAboveSingleLabel),
            ("*", .misplacedWildcard),
            ("**", .misplacedWildcard),
            ("*.*.host.example", .misplacedWildcard),
            ("***.host.example", .misplacedWildcard),
            ("a.*.example", .misplacedWildcard),
            ("a*.host.example", .misplacedWildcard),
            ("host.example.*", .misplacedWildcard),
            ("*.co.uk", .wildcardAbovePublicSuffix),
            ("**.GitHub.io.", .wildcardAbovePublicSuffix),
            ("**.kawasaki.jp", .wildcardAbovePublicSuffix),
            ("*.192.0.2.1", .wildcardOverAddress),
            ("**.192.0.2.1", .wildcardOverAddress),
        ] as [(String, HostPatternError)]
    )
    func refusedPattern(host: String, reason: HostPatternError) {
        #expect(throws: PinPolicyError.invalidPattern(entry: 0, reason: reason)) { try compile([Self.entry(host)]) }
    }

    @Test(
        "No wildcard over a public suffix of today is accepted",
        .enabled(if: PublicSuffixPackage.isInstalled, PublicSuffixPackage.isMissing)
    )
    func everyPublicSuffix() throws {
        let suffixes = try PublicSuffixPackage.registries()
        #expect(suffixes.count > 10_000)
        for wildcard in ["*.", "**."] {
            let accepted = suffixes.filter { (try? compile([Self.entry(wildcard + $0)])) != nil }
            #expect(accepted.isEmpty, "\(accepted.count): \(accepted.prefix(5))")
        }
    }

    @Test(
        "S8: a host that is no certain host is an error, not a pattern that never matches",
        arguments: [
            "", ".", "*.", "**.", "*..example", "a b.example", "host..example", "user@host.example",
            "host.example/path",
        ]
    )
    func uncertainHost(host: String) throws {
        let error = #expect(throws: PinPolicyError.self) { try compile([Self.entry(host)]) }
        guard case .invalidPattern(entry: 0, reason: .invalidHost) = error else {
            Issue.record("\(host): \(String(describing: error))")
            return
        }
    }
}
