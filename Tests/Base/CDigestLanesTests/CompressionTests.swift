import CDigestLanes
import Testing

@Suite struct CompressionTests {
    private static let start: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]
    /// The one block of the empty message: the bit that ends it, and a length of nothing.
    private static let emptyMessage: [UInt8] = [0x80] + [UInt8](repeating: 0, count: 63)

    /// Which function a case is about; a C function itself cannot be an argument.
    enum Algorithm: CaseIterable, Sendable {
        case md4
        case md5

        func compress(_ state: inout [UInt32], _ bytes: [UInt8], from offset: Int, blocks: Int) {
            precondition(offset + 64 * blocks <= bytes.count && state.count == 4)
            // In bounds: the precondition above.
            unsafe bytes.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                switch self {
                case .md4: unsafe sallyport_md4_compress(&state, base + offset, blocks)
                case .md5: unsafe sallyport_md5_compress(&state, base + offset, blocks)
                }
            }
        }

        /// RFC 1320 A.5 and RFC 1321 A.5: the digest of nothing, as four little-endian words.
        var empty: [UInt32] {
            switch self {
            case .md4: [0xe0cf_d631, 0x31e9_6ad1, 0xd759_3cb7, 0xc089_c0e0]
            case .md5: [0xd98c_1dd4, 0x04b2_008f, 0x9809_80e9, 0x7e42_f8ec]
            }
        }
    }

    @Test("The empty message, at any alignment", arguments: Algorithm.allCases, 0...7)
    func emptyMessage(algorithm: Algorithm, offset: Int) {
        var state = Self.start
        algorithm.compress(&state, [UInt8](repeating: 0xff, count: offset) + Self.emptyMessage, from: offset, blocks: 1)
        #expect(state == algorithm.empty)
    }

    @Test("Blocks at once are blocks one by one", arguments: Algorithm.allCases)
    func severalBlocks(algorithm: Algorithm) {
        let bytes = (0..<640).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 3) }
        var together = Self.start
        algorithm.compress(&together, bytes, from: 0, blocks: 10)
        var apart = Self.start
        for block in 0..<10 { algorithm.compress(&apart, bytes, from: 64 * block, blocks: 1) }
        #expect(together == apart)
        #expect(together != Self.start)
    }

    @Test("No block changes nothing", arguments: Algorithm.allCases)
    func noBlock(algorithm: Algorithm) {
        var state = Self.start
        algorithm.compress(&state, Self.emptyMessage, from: 0, blocks: 0)
        #expect(state == Self.start)
    }

    @Test func erasedIsZero() {
        var bytes = [UInt8](1...20)
        // In bounds: the count is one less than the array's.
        unsafe bytes.withUnsafeMutableBytes { unsafe sallyport_digest_erase($0.baseAddress, 19) }
        #expect(bytes == [UInt8](repeating: 0, count: 19) + [20])
    }
}
