import TestSupport
import Testing

@testable import SPKIPins

@Suite struct PinSetTests {
    @Test("Binary search finds what a linear search finds", arguments: UInt64(1)...32)
    func agreesWithLinearSearch(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let numbers = Array(UInt8.min...UInt8.max).shuffled(using: &generator)
        let count = Int.random(in: 0...60, using: &generator)
        let primary = numbers.prefix(count).map { PositionedPin(.numbered($0), at: .leaf) }
        let backup = numbers.dropFirst(count).prefix(count / 2).map { PositionedPin(.numbered($0), at: .anchor) }
        let set = try PinSet(primary: primary, backup: backup)
        #expect(set.members.count == primary.count + backup.count)
        for number in numbers {
            let pin = Pin.numbered(number)
            let member = set.member(for: pin)
            #expect((member?.isBackup == false) == primary.contains { $0.pin == pin })
            #expect((member?.isBackup == true) == backup.contains { $0.pin == pin })
            if let member { #expect(member.position == (member.isBackup ? .anchor : .leaf)) }
        }
    }

    @Test func equalHoweverWritten() throws {
        let pins = [PositionedPin(.numbered(1)), PositionedPin(.numbered(2)), PositionedPin(.numbered(3))]
        let set = try PinSet(primary: pins, backup: [])
        #expect(try PinSet(primary: pins.reversed(), backup: []) == set)
    }

    @Test(
        "Positions by index and length of the chain",
        arguments: [
            (.leaf, [[true], [true, false], [true, false, false]]),
            (.issuer, [[false], [false, true], [false, true, true]]),
            (.anchor, [[true], [false, true], [false, false, true]]),
            (.any, [[true], [true, true], [true, true, true]]),
        ] as [(PinPosition, [[Bool]])]
    )
    func positions(position: PinPosition, expected: [[Bool]]) {
        for chain in expected {
            #expect(chain.indices.map { position.accepts(index: $0, of: chain.count) } == chain)
        }
    }
}
