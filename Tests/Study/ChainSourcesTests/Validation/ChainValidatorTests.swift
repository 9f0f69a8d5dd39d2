import TestLimits
import Testing

@testable import ChainSources

@Suite(.inTurn) struct ChainValidatorTests {
    @Test func aChainIsBuiltFromLeafToAnchorWhateverTheOrder() async throws {
        let made = try MadeChains()
        let validator = ChainValidator(roots: [made.chain[2]])
        let outcome = await validator.validate([made.chain[0], made.chain[1]], host: made.host, at: made.time)
        #expect(outcome == .validated(made.chain))
        // What a server throws in is not on the path.
        let more = await validator.validate(
            [made.chain[0], made.chain[2], made.chain[1]],
            host: made.host,
            at: made.time
        )
        #expect(more == .validated(made.chain))
    }

    private static func isRefused(_ outcome: ChainValidator.Outcome) -> Bool {
        if case .refused(let reason) = outcome { !reason.isEmpty && !reason.contains("\n") } else { false }
    }

    @Test func timeHostAndRootMatter() async throws {
        let made = try MadeChains()
        let validator = ChainValidator(roots: [made.chain[2]])
        let presented = Array(made.chain.prefix(2))
        let late = await validator.validate(presented, host: made.host, at: made.time + 400 * 86_400)
        #expect(Self.isRefused(late))
        let other = await validator.validate(presented, host: "other.lab.example", at: made.time)
        #expect(Self.isRefused(other))
        let address = await validator.validate(presented, host: "192.0.2.1", at: made.time)
        #expect(Self.isRefused(address))
        let stranger = await ChainValidator(roots: []).validate(presented, host: made.host, at: made.time)
        #expect(Self.isRefused(stranger))
        let incomplete = await validator.validate([made.chain[0]], host: made.host, at: made.time)
        #expect(Self.isRefused(incomplete))
        let garbage = await validator.validate([[1, 2, 3]], host: made.host, at: made.time)
        #expect(garbage == .refused("the leaf cannot be read"))
    }

    // 0000-12-31T23:59:59Z, 10000-01-01T00:00:00Z and the ends of the type; the years 1 and 9999 have such times.
    @Test(
        "A time outside of the years 1 to 9999 is refused",
        arguments: [Int64.min, -62_135_596_801, 253_402_300_800, .max, -62_135_596_800, 253_402_300_799]
    )
    func everyTime(time: Int64) async throws {
        let made = try MadeChains()
        let presented = Array(made.chain.prefix(2))
        let outcome = await ChainValidator(roots: [made.chain[2]]).validate(presented, host: made.host, at: time)
        #expect(Self.isRefused(outcome))
        let isYear = (-62_135_596_800...253_402_300_799).contains(time)
        #expect((outcome == .refused("the time is outside of the years 1 to 9999")) == !isYear)
    }
}
