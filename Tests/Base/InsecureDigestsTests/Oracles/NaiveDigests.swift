/// MD4 and MD5 as RFC 1320 and RFC 1321 read, step by step over a padded copy of the message.
enum NaiveDigests {
    static func md4(_ message: [UInt8]) -> [UInt8] {
        digest(message) { a, b, c, d, x in
            let f = { (x: UInt32, y: UInt32, z: UInt32) in (x & y) | (~x & z) }
            let g = { (x: UInt32, y: UInt32, z: UInt32) in (x & y) | (x & z) | (y & z) }
            let h = { (x: UInt32, y: UInt32, z: UInt32) in x ^ y ^ z }
            let rounds:
                [(function: (UInt32, UInt32, UInt32) -> UInt32, constant: UInt32, words: [Int], shifts: [UInt32])]
            rounds = [
                (f, 0, Array(0..<16), [3, 7, 11, 19]),
                (g, 0x5a82_7999, [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15], [3, 5, 9, 13]),
                (h, 0x6ed9_eba1, [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15], [3, 9, 11, 15]),
            ]
            for round in rounds {
                for (step, k) in round.words.enumerated() {
                    let sum = a &+ round.function(b, c, d) &+ x[k] &+ round.constant
                    (a, b, c, d) = (d, rotate(sum, round.shifts[step % 4]), b, c)
                }
            }
        }
    }

    static func md5(_ message: [UInt8]) -> [UInt8] {
        digest(message) { a, b, c, d, x in
            let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
            for i in 0..<64 {
                let mixed: UInt32
                let k: Int
                switch i / 16 {
                case 0: (mixed, k) = ((b & c) | (~b & d), i)
                case 1: (mixed, k) = ((b & d) | (c & ~d), (5 * i + 1) % 16)
                case 2: (mixed, k) = (b ^ c ^ d, (3 * i + 5) % 16)
                default: (mixed, k) = (c ^ (b | ~d), 7 * i % 16)
                }
                let sum = a &+ mixed &+ x[k] &+ sines[i]
                (a, b, c, d) = (d, b &+ rotate(sum, shifts[i / 16][i % 4]), b, c)
            }
        }
    }

    /// RFC 2104 section 2, over ``md5(_:)``.
    static func hmacMD5(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        let short = key.count > 64 ? md5(key) : key
        let block = short + [UInt8](repeating: 0, count: 64 - short.count)
        return md5(block.map { $0 ^ 0x5c } + md5(block.map { $0 ^ 0x36 } + message))
    }

    /// RFC 1321 section 3.4, table T, as the reference program of its appendix A.3 prints it.
    private static let sines: [UInt32] = [
        0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
        0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
        0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
        0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
        0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
        0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
        0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
        0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
    ]

    private static func rotate(_ word: UInt32, _ bits: UInt32) -> UInt32 { word << bits | word >> (32 - bits) }

    private static func digest(
        _ message: [UInt8],
        block: (inout UInt32, inout UInt32, inout UInt32, inout UInt32, [UInt32]) -> Void
    ) -> [UInt8] {
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        for shift in 0..<8 { padded.append(UInt8(truncatingIfNeeded: (message.count * 8) >> (8 * shift))) }
        var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]
        for start in stride(from: 0, to: padded.count, by: 64) {
            let words = (0..<16).map { word in
                (0..<4).reduce(UInt32(0)) { $0 | UInt32(padded[start + 4 * word + $1]) << (8 * UInt32($1)) }
            }
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            block(&a, &b, &c, &d, words)
            state = [state[0] &+ a, state[1] &+ b, state[2] &+ c, state[3] &+ d]
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) } }
    }
}
