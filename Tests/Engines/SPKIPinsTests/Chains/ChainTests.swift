import SPKIPins
import Testing

@Suite struct ChainTests {
    @Test func pinsStandInOrder() throws {
        let names = ["chain-leaf", "chain-issuer", "chain-anchor"]
        let chain = try ValidatedChain(assertingValidated: names.map { try Fixture.named($0) })
        let expected = names.compactMap { name in Fixture.all.first { $0.name == name }.map { "sha256/\($0.pin)" } }
        #expect(try chain.pins.map { try $0.get().description } == expected)
    }

    @Test func emptyChainIsAnError() {
        #expect(throws: ChainError.empty) { try ValidatedChain(assertingValidated: []) }
        #expect(throws: ChainError.empty) { try PresentedChain(copying: []) }
    }

    @Test func endlessChainIsAnError() {
        let many = [[UInt8]](repeating: [], count: 33)
        #expect(throws: ChainError.tooManyCertificates(count: 33, limit: 32)) {
            try ValidatedChain(assertingValidated: many)
        }
    }
}
