import Testing

@testable import ChainSources

@Suite struct ChainValidatorTests {
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
}
