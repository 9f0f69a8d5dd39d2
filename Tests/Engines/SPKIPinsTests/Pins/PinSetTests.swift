import Foundation
import TestSupport
import Testing

@testable import SPKIPins

@Suite struct PinSetTests {
    private static func members(_ count: Int, seed: UInt64) -> [PinSet.Member] {
        var generator = SeededGenerator(seed: seed)
        let positions: [PinPosition] = [.any, .leaf, .issuer, .anchor]
        let roles: [PinRole] = [.primary, .backup, .forbidden]
        return (0..<count).map { index in
            PinSet.Member(
                pin: Pin(hashing: generator.bytes(40).span),
                position: positions[index % 4],
                role: roles[index % 3]
            )
        }
    }

    @Test("A set finds what a dictionary finds", arguments: [0, 1, 2, 7, 8, 9, 10, 100, 1000, 20_000], UInt64(1)...3)
    func agreesWithDictionary(count: Int, seed: UInt64) throws {
        let members = Self.members(count, seed: seed)
        let set = try PinSet(compiling: members)
        var oracle: [Pin: PinSet.Member] = [:]
        for member in members { oracle[member.pin] = member }
        for member in members + Self.members(min(count, 500), seed: seed + 1000) {
            #expect(set.member(for: member.pin) == oracle[member.pin])
            #expect(set.contains(member.pin) == (oracle[member.pin] != nil))
        }
        #expect(set.count == count)
        #expect(Set(set.members) == Set(members))
    }

    @Test("At most 44 bytes a pin")
    func size() throws {
        let set = try PinSet(compiling: Self.members(1000, seed: 1))
        #expect(set.image.count <= 44 * 1000)
    }

    @Test("Sets are equal, and equal byte for byte, however they were written")
    func equalHoweverWritten() throws {
        let members = Self.members(50, seed: 2)
        let set = try PinSet(compiling: members)
        let other = try PinSet(compiling: members.reversed())
        #expect(set == other)
        #expect(set.image == other.image)
        #expect(try PinSet(compiling: members.dropLast()) != set)
    }

    @Test("An image is read back, from memory and from a file")
    func imageRoundTrip() throws {
        for count in [0, 3, 9, 300] {
            let set = try PinSet(compiling: Self.members(count, seed: 3))
            #expect(try PinSet(image: set.image) == set)
            let file = TemporaryFolder.place("pins")
            try Data(set.image).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let mapped = try PinSet(mappingImageAt: file.path)
            #expect(mapped == set)
            #expect(mapped.image == set.image)
        }
        #expect(throws: PinImageError.unreadable(code: ENOENT)) { try PinSet(mappingImageAt: "/nowhere/at/all") }
        #expect(throws: PinImageError.unreadable(code: ENODEV)) { try PinSet(mappingImageAt: "/tmp") }
    }

    @Test("Every cut and every flipped bit is an error")
    func damagedImages() throws {
        let image = try PinSet(compiling: Self.members(11, seed: 4)).image
        for count in 0..<image.count {
            #expect(throws: PinImageError.self) { try PinSet(image: Array(image.prefix(count))) }
        }
        for bit in 0..<image.count * 8 {
            var flipped = image
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: PinImageError.self) { try PinSet(image: flipped) }
        }
        #expect(throws: PinImageError.self) { try PinSet(image: image + [0]) }
    }

    @Test(
        "Damage under a right checksum is an error or a set, and never a trap or a wrong yes",
        arguments: UInt64(1)...20
    )
    func forgedImages(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let members = Self.members(Int.random(in: 1...30, using: &generator), seed: seed)
        let image = try PinSet(compiling: members).image
        for _ in 0..<300 {
            var contents = Array(image[32..<image.count - 32])
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                contents[Int.random(in: 0..<contents.count, using: &generator)] = UInt8.random(
                    in: 0...255,
                    using: &generator
                )
            }
            let forged = PinImage.make(.set, version: 0, contents: contents)
            guard let set = try? PinSet(image: forged) else { continue }
            let found = set.members
            #expect(Set(found.map(\.pin)).count == set.count)
            for member in found { #expect(set.member(for: member.pin) == member) }
            for member in members where !found.map(\.pin).contains(member.pin) {
                #expect(set.member(for: member.pin) == nil)
            }
        }
    }

    @Test("A pin twice is an error that tells in which roles")
    func duplicate() {
        let pin = Pin.numbered(1)
        #expect(throws: PinSetError.duplicate(pin: pin, roles: [.primary, .primary])) {
            try PinSet(compiling: [.init(pin: pin), .init(pin: pin, position: .leaf)])
        }
    }

    @Test("Pins that were searched for to fall on one slot are refused, not looked through for ever")
    func crowded() {
        let members = (1...300).map { PinSet.Member(pin: Pin(1, UInt64($0), 2, 3)) }
        #expect(throws: PinSetError.self) { try PinSet(compiling: members) }
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
