import BigInt
import SPKIPins
import TestSupport
import Testing
import WireFormat

@testable import PinAudits

@Suite struct PublicKeyMaterialTests {
    /// An RSA key with modulus and exponent as these DER integers.
    private func rsa(_ modulus: String, _ exponent: String, unused: String = "00") throws -> [UInt8] {
        func tlv(_ tag: String, _ body: String) -> String {
            // Short forms only.
            let count = body.utf8.count / 2
            return tag + (count < 16 ? "0" : "") + String(count, radix: 16) + body
        }
        let key = tlv("30", tlv("02", modulus) + tlv("02", exponent))
        return try Hexadecimal.decode(tlv("30", "300d06092a864886f70d0101010500" + tlv("03", unused + key)))
    }

    private func material(_ bytes: [UInt8]) throws(PublicKeyError) -> PublicKeyMaterial {
        try PublicKeyMaterial(of: bytes.span)
    }

    @Test func readsNumbers() throws {
        #expect(try material(rsa("00ff01", "03")) == .rsa(RSAPublicKey(modulus: 0xFF01, exponent: 3)))
    }

    @Test(arguments: ["80", "", "0001"])
    func refusesOtherSpellingsOfNumbers(modulus: String) throws {
        let key = try rsa(modulus, "03")
        #expect(throws: PublicKeyError.invalidInteger(offset: 22)) { try material(key) }
    }

    @Test func refusesUnusedBits() throws {
        let key = try rsa("0f", "03", unused: "01")
        #expect(throws: PublicKeyError.unusedBits(offset: 19)) { try material(key) }
    }

    @Test func refusesCurvesWithoutName() throws {
        let key = try Hexadecimal.decode("300f300906072a8648ce3d020103020000")
        #expect(throws: PublicKeyError.unnamedCurve(offset: 13)) { try material(key) }
    }

    /// A key of `openssl genpkey` with `ec_param_enc:explicit`: P-256, number by number.
    @Test func refusesCurvesSpelledOut() throws {
        let key = try Hexadecimal.decode(
            """
            3082014b3082010306072a8648ce3d02013081f7020101302c06072a8648ce3d0101022100ffffffff00000001000000000000000000000000\
            ffffffffffffffffffffffff305b0420ffffffff00000001000000000000000000000000fffffffffffffffffffffffc04205ac635d8aa3a93\
            e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b031500c49d360886e704936a6678e1139d26b7819f7e900441046b17d1f2e12c\
            4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51\
            f5022100ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc6325510201010342000433958cba361ec56ed7b363ceb7f9\
            821027d7fc24ae1f53732ca2fc7a2d4189b27ce0556ac132d4da43d856721c6e1d38ab5ca08b4205958a2d3f1b8b2e335b9f
            """
        )
        #expect(throws: PublicKeyError.unnamedCurve(offset: 17)) { try material(key) }
    }

    @Test(arguments: ["05", "0401", "0201", "000000"])
    func refusesOtherSpellingsOfPoints(point: String) throws {
        let count = point.utf8.count / 2
        let key = try Hexadecimal.decode(
            "30" + hex(24 + count) + "301306072a8648ce3d020106082a8648ce3d03010703" + hex(1 + count) + "00" + point
        )
        let expected: PublicKeyError =
            switch point {
            case "05": .invalidPointForm(found: 5)
            case "0401": .wrongPointLength(bytes: 2, expected: 65)
            case "0201": .wrongPointLength(bytes: 2, expected: 33)
            default: .wrongPointLength(bytes: 3, expected: 1)
            }
        #expect(throws: expected) { try material(key) }
    }

    @Test("No cut or changed key is a crash, and no cut one is a key", arguments: UInt64(1)...16)
    func survivesDamage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for fixture in try WeakKeyFixture.all() where fixture.subjectPublicKeyInfo.count < 400 {
            let key = fixture.subjectPublicKeyInfo
            let cut = Array(key.prefix(Int.random(in: 0..<key.count, using: &random)))
            #expect(throws: PublicKeyError.self) { try material(cut) }
            var changed = key
            changed[Int.random(in: 0..<key.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            _ = try? material(changed)
        }
    }

    private func hex(_ byte: Int) -> String { Hexadecimal.encode([UInt8(byte)].span) }
}
