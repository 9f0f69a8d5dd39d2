import SPKIPins
import TestSupport
import Testing

@Suite struct CurrentPinPolicyTests {
    private static func policy(version: UInt64) throws -> PinPolicy {
        let entry = PinPolicy.Entry(
            host: "host.example",
            pins: [PositionedPin(.numbered(1))],
            backup: .pins([PositionedPin(.numbered(UInt8(2 + version % 200)))]),
            expiry: nil
        )
        return try PinPolicy(compiling: [entry], version: version, at: 0)
    }

    @Test("Only a higher version replaces")
    func monotonic() throws {
        let current = CurrentPinPolicy(try Self.policy(version: 5))
        #expect(!current.replace(with: try Self.policy(version: 5)))
        #expect(!current.replace(with: try Self.policy(version: 4)))
        #expect(current.replace(with: try Self.policy(version: 6)))
        #expect(current.policy.version == 6)
        #expect(current.replace(with: try Self.policy(version: 9)))
        #expect(current.policy.version == 9)
    }

    @Test("Readers see whole policies, whose versions never go down")
    func readers() async throws {
        let current = CurrentPinPolicy(try Self.policy(version: 0))
        let policies = try (1...2000).map { try Self.policy(version: UInt64($0)) }
        let wrong = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var wrong = 0
                    var last: UInt64 = 0
                    for _ in 0..<50_000 {
                        let policy = current.policy
                        if policy.version < last || policy.entryCount != 1 { wrong += 1 }
                        last = policy.version
                    }
                    return wrong
                }
            }
            group.addTask {
                for policy in policies { current.replace(with: policy) }
                return 0
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
        #expect(current.policy.version == 2000)
    }
}
