import Crypto
import Secrets
import Testing
import WireFormat

@testable import CredentialStores

@Suite struct SealingKeyTests {
    private func key(_ hexadecimal: String) throws -> SealingKey {
        let bytes = try Hexadecimal.decode(hexadecimal)
        return SealingKey(copying: bytes.span)
    }

    /// Vectors of RFC 8452 C.2 (AES-256): key, nonce, plaintext, additional data, result.
    static let sealed = [
        (
            "0100000000000000000000000000000000000000000000000000000000000000", "030000000000000000000000", "", "",
            "07f5f4169bbf55a8400cd47ea6fd400f"
        ),
        (
            "0100000000000000000000000000000000000000000000000000000000000000", "030000000000000000000000",
            "0100000000000000", "", "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28"
        ),
        (
            "0100000000000000000000000000000000000000000000000000000000000000", "030000000000000000000000",
            "0200000000000000", "01", "1de22967237a813291213f267e3b452f02d01ae33e4ec854"
        ),
        (
            "0100000000000000000000000000000000000000000000000000000000000000", "030000000000000000000000",
            "02000000000000000000000000000000", "01",
            "c91545823cc24f17dbb0e9e807d5ec17b292d28ff61189e8e49f3875ef91aff7"
        ),
    ]

    @Test("AES-256-GCM-SIV gives the bytes of RFC 8452 C.2", arguments: sealed.indices)
    func vectors(index: Int) throws {
        let (key, nonce, plaintext, data, result) = Self.sealed[index]
        let sealing = try self.key(key)
        let (contents, context) = (try Hexadecimal.decode(plaintext), try Hexadecimal.decode(data))
        let box = sealing.seal(contents, authenticating: context, nonce: try Hexadecimal.decode(nonce))
        #expect(Hexadecimal.encode(box.span) == nonce + result)
        let opened = try #require(sealing.open(box[...], authenticating: context))
        #expect(opened.withBytes { [UInt8](copying: $0) } == contents)
    }

    @Test("Another key, context, or any changed bit opens nothing") func refuses() throws {
        let (sealing, other) = (SealingKey.random(), SealingKey.random())
        let box = sealing.seal(Array(0..<40), authenticating: [1, 2])
        #expect(box.count == 40 + SealingKey.overhead)
        #expect(sealing.open(box[...], authenticating: [1, 2]) != nil)
        #expect(other.open(box[...], authenticating: [1, 2]) == nil)
        #expect(sealing.open(box[...], authenticating: [1]) == nil)
        for count in box.indices { #expect(sealing.open(box[..<count], authenticating: [1, 2]) == nil) }
        for bit in 0..<box.count * 8 {
            var changed = box
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(sealing.open(changed[...], authenticating: [1, 2]) == nil, "bit \(bit)")
        }
    }

    @Test("Each box has another nonce") func nonces() {
        let sealing = SealingKey.random()
        let boxes = (0..<100).map { _ in sealing.seal([1], authenticating: []) }
        #expect(Set(boxes.map { Array($0.prefix(12)) }).count == 100)
    }

    struct ScryptVector: Sendable {
        let passphrase: String
        let salt: String
        let cost: ScryptCost?
        let result: String
    }

    @Test(
        "scrypt gives the bytes of RFC 7914 section 12",
        arguments: [
            ScryptVector(
                passphrase: "password",
                salt: "NaCl",
                cost: ScryptCost(checking: 10, r: 8, p: 16),
                result: "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                    + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
            ),
            ScryptVector(
                passphrase: "pleaseletmein",
                salt: "SodiumChloride",
                cost: ScryptCost(checking: 14, r: 8, p: 1),
                result: "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                    + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
            ),
        ]
    )
    func scrypt(vector: ScryptVector) throws {
        let cost = try requireValue(vector.cost)
        let passphrase = Secrets.SharedSecret(utf8: vector.passphrase)
        let derived = SealingKey.scryptBytes(passphrase, salt: Array(vector.salt.utf8), cost: cost, byteCount: 64)
        let key = try requireValue(derived)
        let bytes = unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
        #expect(Hexadecimal.encode(bytes.span) == vector.result)
    }

    @Test("HKDF-SHA256 gives what an independent implementation gives")
    func derivation() throws {
        // Python's cryptography 48: HKDF(SHA256, 32, salt=b"salt", info=b"sallyport key slot").derive(bytes(range(32)))
        let derived = SealingKey(copying: Array(0..<32).span)
            .derived(salt: Array("salt".utf8), purpose: "sallyport key slot")
        #expect(
            derived.withBytes { Hexadecimal.encode($0) }
                == "d657103ee8de487c2945cd9eb8ce88df6a442d04f81e76af8704b6e770a6d077"
        )
    }

    @Test("HMAC-SHA256 gives the bytes of RFC 4231, and only those are accepted") func code() throws {
        // RFC 4231 4.2 has a key of 20 bytes; HMAC pads a shorter key with zeros, so this one is the same key.
        let key = SealingKey(copying: ([UInt8](repeating: 0x0B, count: 20) + [UInt8](repeating: 0, count: 12)).span)
        let message = Array("Hi There".utf8)
        let expected = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        #expect(Hexadecimal.encode(key.code(of: message[...]).span) == expected)
        var code = try Hexadecimal.decode(expected)
        #expect(key.isCode(code[...], of: message[...]))
        #expect(!key.isCode(code.dropLast(), of: message[...]))
        code[31] ^= 1
        #expect(!key.isCode(code[...], of: message[...]))
    }

    @Test("A file cannot ask for more than 256 MiB, or for a cost that RFC 7914 excludes") func costs() {
        #expect(ScryptCost(checking: 17, r: 8, p: 1) == .standard)
        #expect(ScryptCost(checking: 18, r: 8, p: 1) != nil)
        let refused: [(UInt8, UInt8, UInt8)] = [
            (19, 8, 1), (18, 8, 2), (18, 9, 1), (0, 8, 1), (63, 8, 1), (255, 255, 255), (10, 0, 1), (10, 8, 0),
            (16, 1, 1),
        ]
        for (n, r, p) in refused { #expect(ScryptCost(checking: n, r: r, p: p) == nil, "\(n) \(r) \(p)") }
    }
}
