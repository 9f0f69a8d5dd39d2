import Hostnames
import SPKIPins
import Testing

@Suite struct PinPolicyCompilingTests {
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
            Self.entry("localhost"), Self.entry("192.0.2.1"),
        ]
        #expect(try compile(entries).version == 7)
        _ = try compile([Self.single(reason: "the key lives in a module that holds one")])
    }

    @Test(
        "Wildcards stand at the start, above two labels, and not over addresses",
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
            ("*.192.0.2.1", .wildcardOverAddress),
            ("**.192.0.2.1", .wildcardOverAddress),
        ] as [(String, HostPatternError)]
    )
    func refusedPattern(host: String, reason: HostPatternError) {
        #expect(throws: PinPolicyError.invalidPattern(entry: 0, reason: reason)) { try compile([Self.entry(host)]) }
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
