import TestSupport
import Testing

@testable import SPKIPins

@Suite struct CompiledPinPolicyInvariantsTests {
    private static func policy(entries: Int, pins: Int, seed: UInt64) throws -> PinPolicy {
        var generator = SeededGenerator(seed: seed)
        func pin() -> PositionedPin {
            let word = UInt64.random(in: 0 ... .max, using: &generator)
            return PositionedPin(Pin(hashing: [UInt8]("\(word)".utf8).span))
        }
        let hosts = ["host", "*.host", "**.host"]
        let written = (0..<entries).map { index in
            PinPolicy.Entry(
                host: hosts[index % 3] + "\(index).a-rather-long-label-of-many-letters.example",
                pins: (0..<pins).map { _ in pin() },
                backup: .pins([pin()]),
                expiry: nil
            )
        }
        return try PinPolicy(compiling: written, version: 1, at: 0)
    }

    @Test(
        "A compiled policy and its sets keep their invariants",
        arguments: [(1, 1), (5, 12), (100, 3)],
        UInt64(1)...3
    )
    func compiled(size: (entries: Int, pins: Int), seed: UInt64) throws {
        let policy = try Self.policy(entries: size.entries, pins: size.pins, seed: seed)
        #expect(policy.compiled.brokenInvariant() == nil)
        let layout = policy.compiled.layout
        #expect(layout.brokenInvariant(end: layout.entriesStart) == nil)
        #expect(layout.brokenInvariant(end: layout.entriesStart - 1) != nil)
    }

    @Test("A changed pin or pilot breaks the invariant of a set")
    func changedSet() throws {
        let members = (0..<40).map { PinSet.Member(pin: .numbered(UInt8($0))) }
        let image = try PinSet(compiling: members).image
        let table = PinTable(start: PinImage.headerLength, count: members.count)
        #expect(table.brokenInvariant(in: image.span) == nil)
        var moved = image
        for byte in 0..<32 { moved.swapAt(table.pinsStart + byte, table.pinsStart + 32 + byte) }
        #expect(table.brokenInvariant(in: moved.span) != nil)
        #expect(table.brokenInvariant(in: image.span.extracting(0..<table.end - 1)) != nil)
    }

    @Test("The memo holds pins of its keys, whichever replaced which", arguments: [44, 91, 294, 550])
    func memo(length: Int) {
        let memo = PinMemo(slots: 4)
        for number in 0..<50 as Range<UInt8> {
            let key = (0..<length).map { UInt8(truncatingIfNeeded: $0) ^ number }
            #expect(memo.pin(of: key.span) == Pin(hashing: key.span))
        }
        #expect(memo.brokenInvariant() == nil)
    }
}
