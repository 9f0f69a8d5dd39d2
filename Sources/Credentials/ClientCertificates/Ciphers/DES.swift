/// The Data Encryption Standard (FIPS 46-3), for old PKCS#12 files only. It is broken, and nothing is encrypted with it.
///
/// The tables are looked up by secret values, so another process on the same machine could learn a key from the time this takes.
struct DES {
    /// The round keys, eight groups of six bits each, in the order of decryption.
    private let rounds: [[UInt8]]

    /// - Parameter key: eight bytes; the parity bits are ignored.
    init(key: ArraySlice<UInt8>) {
        precondition(key.count == 8, "a DES key has eight bytes")
        let chosen = Self.permute(Self.word(key), of: 64, by: Self.firstChoice)
        var left = UInt32(truncatingIfNeeded: chosen >> 28)
        var right = UInt32(truncatingIfNeeded: chosen) & 0xFFF_FFFF
        var rounds: [[UInt8]] = []
        for shift in Self.shifts {
            left = (left << shift | left >> (28 - shift)) & 0xFFF_FFFF
            right = (right << shift | right >> (28 - shift)) & 0xFFF_FFFF
            let subkey = Self.permute(UInt64(left) << 28 | UInt64(right), of: 56, by: Self.secondChoice)
            rounds.append((0..<8).map { UInt8(truncatingIfNeeded: subkey >> UInt64(42 - 6 * $0)) & 0x3F })
        }
        self.rounds = rounds.reversed()
    }

    func decrypt(_ block: UInt64) -> UInt64 { run(block, backwards: false) }

    func encrypt(_ block: UInt64) -> UInt64 { run(block, backwards: true) }

    /// - Parameter backwards: whether the round keys are used from the last one, which encrypts.
    private func run(_ block: UInt64, backwards: Bool) -> UInt64 {
        let mixed = Self.permute(block, of: 64, by: Self.initial)
        var left = UInt32(truncatingIfNeeded: mixed >> 32)
        var right = UInt32(truncatingIfNeeded: mixed)
        for round in 0..<16 {
            let key = rounds[backwards ? 15 - round : round]
            var sum: UInt32 = 0
            for group in 0..<8 {
                // Each group of four bits, and one bit of its neighbours.
                let shift = UInt32((4 * group + 31) % 32)
                let six = UInt8((right << shift | right >> ((32 - shift) % 32)) >> 26)
                sum |= Self.boxes[group * 64 + Int(six ^ key[group])]
            }
            (left, right) = (right, left ^ sum)
        }
        return Self.permute(UInt64(right) << 32 | UInt64(left), of: 64, by: Self.final)
    }

    static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    /// The bits of `value` in the order of `places`, which count from 1 at the most significant of `width` bits.
    private static func permute(_ value: UInt64, of width: UInt64, by places: [UInt8]) -> UInt64 {
        places.reduce(0) { $0 << 1 | value >> (width - UInt64($1)) & 1 }
    }
}

extension DES {
    private static let shifts: [UInt32] = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1]

    private static let initial: [UInt8] = [58, 60, 62, 64, 57, 59, 61, 63].flatMap { last in
        (0..<8).map { UInt8(last - 8 * $0) }
    }

    private static let final: [UInt8] = (1...64).map { place in
        UInt8((initial.firstIndex(of: UInt8(place)) ?? 0) + 1)
    }

    private static let firstChoice: [UInt8] = [
        57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
        63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4,
    ]

    private static let secondChoice: [UInt8] = [
        14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2,
        41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
    ]

    private static let mixing: [UInt8] = [
        16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10,
        2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25,
    ]

    /// The S-boxes as FIPS 46-3 prints them, a row of 16 values a word, the first value in the highest bits.
    private static let printedBoxes: [UInt64] = [
        0xE4D1_2FB8_3A6C_5907, 0x0F74_E2D1_A6CB_9538, 0x41E8_D62B_FC97_3A50, 0xFC82_4917_5B3E_A06D,
        0xF18E_6B34_972D_C05A, 0x3D47_F28E_C01A_69B5, 0x0E7B_A4D1_58C6_932F, 0xD8A1_3F42_B67C_05E9,
        0xA09E_63F5_1DC7_B428, 0xD709_346A_285E_CBF1, 0xD649_8F30_B12C_5AE7, 0x1AD0_6987_4FE3_B52C,
        0x7DE3_069A_1285_BC4F, 0xD8B5_6F03_472C_1AE9, 0xA690_CB7D_F13E_5284, 0x3F06_A1D8_945B_C72E,
        0x2C41_7AB6_853F_D0E9, 0xEB2C_47D1_50FA_3986, 0x421B_AD78_F9C5_630E, 0xB8C7_1E2D_6F09_A453,
        0xC1AF_9268_0D34_E75B, 0xAF42_7C95_61DE_0B38, 0x9EF5_28C3_704A_1DB6, 0x432C_95FA_BE17_608D,
        0x4B2E_F08D_3C97_5A61, 0xD0B7_491A_E35C_2F86, 0x14BD_C37E_AF68_0592, 0x6BD8_14A7_950F_E23C,
        0xD284_6FB1_A93E_50C7, 0x1FD8_A374_C56B_0E92, 0x7B41_9CE2_06AD_F358, 0x21E7_4A8D_FC90_356B,
    ]

    /// For each box and input of six bits, its output after the permutation of a round.
    private static let boxes: [UInt32] = (0..<8 * 64).map { index in
        let (box, six) = (index / 64, index % 64)
        let row = (six >> 5) << 1 | six & 1
        let column = six >> 1 & 15
        let value = printedBoxes[box * 4 + row] >> UInt64(60 - 4 * column) & 15
        return UInt32(truncatingIfNeeded: permute(value << UInt64(28 - 4 * box), of: 32, by: mixing))
    }
}
