import Authenticator
import Crypto
import SPKIPins
import TestSupport
import Testing

@Suite struct PinUpdateTests {
    /// RFC 8032 7.1, test 1: a private key and its public key.
    private static let privateKey: [UInt8] = [
        0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4, 0x44, 0x49,
        0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60,
    ]
    private static let publicKey: [UInt8] = [
        0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe, 0xd3, 0xc9, 0x64, 0x07, 0x3a, 0x0e, 0xe1,
        0x72, 0xf3, 0xda, 0xa6, 0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a,
    ]

    private static func pin(_ number: UInt8) -> Pin { Pin(hashing: [UInt8](arrayLiteral: number).span) }

    private static func entry(_ backup: UInt8) -> PinPolicy.Entry {
        PinPolicy.Entry(
            host: "host.example",
            pins: [PositionedPin(Self.pin(1))],
            backup: .pins([PositionedPin(Self.pin(backup))]),
            expiry: nil
        )
    }

    private static func policy(version: UInt64) throws -> PinPolicy {
        try PinPolicy(compiling: [entry(UInt8(2 + version % 200))], version: version, at: 0)
    }

    @Test("An update from a trusted key opens and contains the signed policy", .row(86))
    func roundTrip() throws {
        let policy = try Self.policy(version: 8)
        let envelope = try PinUpdate.sign(policy, with: Self.privateKey)
        let other = [UInt8](Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)
        let opened = try PinUpdate.open(envelope, trusting: [other, Self.publicKey], above: 7)
        #expect(opened.image == policy.image)
        #expect(throws: PinUpdateError.wrongSignature) { try PinUpdate.open(envelope, trusting: [other], above: 7) }
        #expect(throws: PinUpdateError.wrongSignature) { try PinUpdate.open(envelope, trusting: [], above: 7) }
        #expect(throws: PinUpdateError.unusableKey) { try PinUpdate.open(envelope, trusting: [[1, 2]], above: 7) }
        #expect(throws: PinUpdateError.unusableKey) { try PinUpdate.sign(policy, with: []) }
    }

    @Test("An old update is refused although its signature is valid", arguments: [8, 9, UInt64.max])
    func rollBack(floor: UInt64) throws {
        let envelope = try PinUpdate.sign(try Self.policy(version: 8), with: Self.privateKey)
        #expect(throws: PinUpdateError.rolledBack(version: 8, floor: floor)) {
            try PinUpdate.open(envelope, trusting: [Self.publicKey], above: floor)
        }
    }

    @Test("A file takes newer policies only; the same policy again is no error, another one of its version is")
    func install() throws {
        let folder = try TemporaryFolder("pins")
        let path = folder.path("pins.image")
        func install(_ policy: PinPolicy) throws -> PinUpdate.Installation {
            let envelope = try PinUpdate.sign(policy, with: Self.privateKey)
            return try PinUpdate.install(envelope, trusting: [Self.publicKey], at: path)
        }
        let eight = try Self.policy(version: 8)
        #expect(try install(eight) == .installed(version: 8, before: nil))
        #expect(try install(eight) == .current(version: 8))
        let otherEight = try PinPolicy(compiling: [Self.entry(9)], version: 8, at: 0)
        #expect(throws: PinUpdateError.rolledBack(version: 8, floor: 8)) { try install(otherEight) }
        #expect(throws: PinUpdateError.rolledBack(version: 7, floor: 8)) { try install(Self.policy(version: 7)) }
        #expect(try PinPolicy(mappingImageAt: path).image == eight.image)
        #expect(try install(Self.policy(version: 9)) == .installed(version: 9, before: 8))
        #expect(try PinPolicy(mappingImageAt: path).version == 9)
        try folder.write("damaged", "pins.image")
        #expect(throws: PinUpdateError.self) { try install(Self.policy(version: 10)) }
        #expect(throws: PinUpdateError.notReplaced(path: folder.path("none/pins"), code: 2)) {
            let envelope = try PinUpdate.sign(eight, with: Self.privateKey)
            _ = try PinUpdate.install(envelope, trusting: [Self.publicKey], at: folder.path("none/pins"))
        }
    }

    @Test("Bytes that the key has signed for another purpose, or for another layout, are no update")
    func signedOtherwise() throws {
        let envelope = try PinUpdate.sign(try Self.policy(version: 8), with: Self.privateKey)
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: Self.privateKey)
        for (offset, error) in [(0, PinUpdateError.wrongMagic), (8, .unknownLayout)] {
            var bytes = Array(envelope.dropLast(64))
            bytes[offset] ^= 2
            let signed = bytes + Array(try key.signature(for: bytes))
            #expect(throws: error) { try PinUpdate.open(signed, trusting: [Self.publicKey], above: 0) }
        }
    }

    @Test("Every truncation and every changed byte is an error")
    func damaged() throws {
        let envelope = try PinUpdate.sign(try Self.policy(version: 8), with: Self.privateKey)
        for count in 0..<envelope.count {
            #expect(throws: PinUpdateError.self) {
                try PinUpdate.open(Array(envelope.prefix(count)), trusting: [Self.publicKey], above: 0)
            }
        }
        for offset in envelope.indices {
            var changed = envelope
            changed[offset] ^= 0x10
            #expect(throws: PinUpdateError.self) { try PinUpdate.open(changed, trusting: [Self.publicKey], above: 0) }
        }
    }
}
