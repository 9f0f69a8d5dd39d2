import Testing

@testable import ClientCertificates

@Suite struct BlockCipherTests {
    /// NBS Special Publication 500-20, and the worked example of J. O. Grabbe.
    @Test(
        "Published blocks",
        arguments: [
            (0x1334_5779_9BBC_DFF1, 0x0123_4567_89AB_CDEF, 0x85E8_1354_0F0A_B405),
            (0x0101_0101_0101_0101, 0x8000_0000_0000_0000, 0x95F8_A5E5_DD31_D900),
            (0x8001_0101_0101_0101, 0x0000_0000_0000_0000, 0x95A8_D728_13DA_A94D),
            (0x7CA1_1045_4A1A_6E57, 0x01A1_D6D0_3977_6742, 0x690F_5B0D_9A26_939B),
        ] as [(UInt64, UInt64, UInt64)]
    )
    func published(key: UInt64, plaintext: UInt64, ciphertext: UInt64) {
        let des = DES(key: bytes(key)[...])
        #expect(des.encrypt(plaintext) == ciphertext)
        #expect(des.decrypt(ciphertext) == plaintext)
    }

    /// RFC 2268 section 5, the vectors whose keys count with all bits.
    @Test(
        "Published blocks of RC2",
        arguments: [
            ("ffffffffffffffff", 0xFFFF_FFFF_FFFF_FFFF, 0x278B_27E4_2E2F_0D49),
            ("3000000000000000", 0x1000_0000_0000_0001, 0x3064_9EDF_9BE7_D2C2),
            ("88bca90e90875a7f0f79c384627bafb2", 0, 0x2269_552A_B0F8_5CA6),
        ] as [(String, UInt64, UInt64)]
    )
    func publishedRC2(key: String, plaintext: UInt64, ciphertext: UInt64) {
        let digits = Array(key)
        let key = stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0..<$0 + 2]), radix: 16) }
        #expect(RC2(key: key[...]).decrypt(ciphertext) == plaintext)
    }

    @Test("The table of RC2 has each byte once")
    func table() { #expect(Set(RC2.table).count == 256 && RC2.table.count == 256) }

    @Test("A ciphertext of another length, or with a wrong padding, is refused")
    func padding() {
        for (cipher, block) in [(BlockCipher.tripleDES(keys: 3), 8), (.rc2(keyBytes: 5), 8), (.aes(keyBytes: 16), 16)] {
            let key = [UInt8](repeating: 1, count: cipher.keyBytes)
            let vector = [UInt8](repeating: 0, count: block)
            #expect(cipher.decrypt([], key: key, vector: vector) == nil)
            for length in 1..<2 * block where length != block {
                let bytes = [UInt8](repeating: 7, count: length)
                #expect(cipher.decrypt(bytes, key: key, vector: vector) == nil)
            }
        }
    }

    private func bytes(_ word: UInt64) -> [UInt8] {
        stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
    }
}
