import Hostnames
import Testing

@testable import SPKIPins

@Suite struct PinVerdictExplanationTests {
    private static func pin(_ number: Int) -> Pin { Pin(hashing: Array("key \(number)".utf8).span) }

    /// A mismatch under so many pins of each role.
    private static func mismatch(primaries: Int, backups: Int, forbidden: Int) throws -> PinMismatch {
        let entry = PinPolicy.Entry(
            host: "host.example",
            pins: (0..<primaries).map { PositionedPin(pin($0)) },
            backup: .pins((primaries..<primaries + backups).map { PositionedPin(pin($0)) }),
            expiry: nil,
            forbidden: (10_000..<10_000 + forbidden).map(pin)
        )
        let policy = try PinPolicy(compiling: [entry], version: 1, at: 0)
        let chain = try ValidatedChain(assertingValidated: [Fixture.named("chain-leaf")])
        let verdict = policy.verdict(for: try Hostname(parsing: "host.example"), chain: chain, now: 0)
        guard case .mismatched(let mismatch) = verdict else { throw Unexpected(verdict: verdict) }
        return mismatch
    }

    private struct Unexpected: Error { let verdict: PinVerdict }

    @Test("What is forbidden was not expected", arguments: [(1, 1, 3), (2, 1, 3000), (4000, 96, 5)])
    func forbiddenIsNotExpected(primaries: Int, backups: Int, forbidden: Int) throws {
        let mismatch = try Self.mismatch(primaries: primaries, backups: backups, forbidden: forbidden)
        let pins = Set((0..<primaries + backups).map(Self.pin))
        #expect(Set(mismatch.expected.map(\.pin)) == pins && mismatch.expected.count == pins.count)
        #expect(mismatch.expected.count { $0.role == .backup } == backups)
        #expect(zip(mismatch.expected, mismatch.expected.dropFirst()).allSatisfy { $0.pin.precedes($1.pin) })
        #expect("\(mismatch)".hasSuffix("has one of the \(pins.count) pins of host.example"))
        #expect(!mismatch.explanation.contains("forbidden"))
        for number in 10_000..<10_000 + min(forbidden, 50) {
            #expect(!mismatch.explanation.contains("\(Self.pin(number))"))
        }
    }

    @Test("An explanation names so many pins and no more, primary ones first")
    func bounded() throws {
        let most = PinMismatch.mostExplainedPins
        for (primaries, backups, rest) in [(1, most - 1, nil), (1, most, 1), (4000, 96, 4096 - most)]
            as [(Int, Int, Int?)]
        {
            let mismatch = try Self.mismatch(primaries: primaries, backups: backups, forbidden: 2000)
            let lines = mismatch.explanation.split(separator: "\n")
            // What it is, the chain and its one certificate, the pattern.
            #expect(lines.count == 4 + most + (rest == nil ? 0 : 1))
            #expect(rest.map { lines.last == "  and \($0) more" } ?? !mismatch.explanation.contains("more"))
            #expect(lines.count { $0.hasSuffix("backup") } == max(0, most - primaries))
        }
    }
}
