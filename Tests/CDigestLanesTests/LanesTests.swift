import CDigestLanes
import TestSupport
import Testing

@Suite struct LanesTests {
    private static let lanes = Int(SALLYPORT_LANES)

    /// In the order of `enum sallyport_kernel`.
    enum Kernel: UInt32, CaseIterable, Sendable {
        case portable, vector128, avx2, avx512

        func orCancel() throws -> sallyport_kernel {
            let kernel = sallyport_kernel(rawValue: rawValue)
            if sallyport_kernel_runs_here(kernel) == 0 { try Test.cancel("this machine lacks \(self)") }
            return kernel
        }
    }

    @Test("The list of kernels is whole, and the best of them runs") func bestRuns() {
        #expect(Kernel.allCases.count == Int(SALLYPORT_KERNELS))
        #expect(sallyport_kernel_runs_here(sallyport_kernel_best()) != 0)
        #expect(sallyport_kernel_runs_here(SALLYPORT_KERNEL_PORTABLE) != 0)
        #expect(sallyport_kernel_runs_here(sallyport_kernel(rawValue: 99)) == 0)
    }

    @Test(
        "Every lane agrees with the one-lane function",
        arguments: Kernel.allCases,
        CompressionTests.Algorithm.allCases
    )
    func agreesWithOneLane(kernel: Kernel, algorithm: CompressionTests.Algorithm) throws {
        let code = try kernel.orCancel()
        for lanes in [1, 2, 3, 4, 15, 16, 17, 31, 33, 63, 64] {
            var generator = SeededGenerator(seed: UInt64(lanes))
            let rows = generator.bytes(64 * Self.lanes)
            var state = (0..<(4 * Self.lanes)).map { _ in UInt32.random(in: 0 ... .max, using: &generator) }
            let before = state
            var words = [UInt32](repeating: 0, count: 16 * Self.lanes)
            // In bounds: a tile's words and chaining values, and rows of a block for every lane.
            unsafe sallyport_lanes_load(code, &words, rows, 64, rows.count, lanes, 64)
            switch algorithm {
            case .md4: unsafe sallyport_md4_compress_lanes(code, &state, words, lanes)
            case .md5: unsafe sallyport_md5_compress_lanes(code, &state, words, lanes)
            }
            for lane in 0..<lanes {
                var expected = (0..<4).map { before[$0 * Self.lanes + lane] }
                algorithm.compress(&expected, rows, from: 64 * lane, blocks: 1)
                let found = (0..<4).map { state[$0 * Self.lanes + lane] }
                #expect(found == expected, "lane \(lane) of \(lanes)")
            }
        }
    }

    @Test("Blocks of HMAC agree with the same blocks written out", arguments: Kernel.allCases)
    func blocksOfHMAC(kernel: Kernel) throws {
        let code = try kernel.orCancel()
        var generator = SeededGenerator(seed: 9)
        for lanes in [1, 8, 9, 16, 17, 24, 25, 40, 41, 48, 49, 63, 64] {
            let digests = generator.bytes(16 * Self.lanes)
            let state = (0..<(4 * Self.lanes)).map { _ in UInt32.random(in: 0 ... .max, using: &generator) }
            // RFC 2104 section 2, and RFC 1321 section 3.1: 0x80, zeros, 8 × (64 + 16) bits.
            let end: [UInt8] = [0x80] + [UInt8](repeating: 0, count: 39) + [0x80, 2, 0, 0, 0, 0, 0, 0]
            let ends: [(sallyport_hmac_block, (ArraySlice<UInt8>) -> [UInt8])] = [
                (SALLYPORT_HMAC_INNER_KEY, { $0.map { $0 ^ 0x36 } + [UInt8](repeating: 0x36, count: 48) }),
                (SALLYPORT_HMAC_OUTER_KEY, { $0.map { $0 ^ 0x5c } + [UInt8](repeating: 0x5c, count: 48) }),
                (
                    SALLYPORT_HMAC_DIGEST,
                    { $0 + end }
                ),
            ]
            for (block, writtenOut) in ends {
                let rows = (0..<Self.lanes).flatMap { writtenOut(digests[(16 * $0)..<(16 * $0 + 16)]) }
                var words = [UInt32](repeating: 0xdead_beef, count: 16 * Self.lanes)
                var found = state
                // In bounds: a tile's words and chaining values, and rows of a digest or a block for every lane.
                unsafe sallyport_lanes_load(code, &words, digests, 16, digests.count, Self.lanes, 16)
                unsafe sallyport_md5_compress_hmac_lanes(code, block, &found, words, lanes)
                for lane in 0..<lanes {
                    var expected = (0..<4).map { state[$0 * Self.lanes + lane] }
                    CompressionTests.Algorithm.md5.compress(&expected, rows, from: 64 * lane, blocks: 1)
                    #expect((0..<4).map { found[$0 * Self.lanes + lane] } == expected, "lane \(lane) of \(lanes)")
                }
            }
        }
    }

    @Test("Rows become columns, cut off at their length", arguments: Kernel.allCases)
    func rowsBecomeColumns(kernel: Kernel) throws {
        let code = try kernel.orCancel()
        var generator = SeededGenerator(seed: 3)
        for length in 1...64 {
            let stride = length + length % 3
            let rows = generator.bytes(stride * (Self.lanes - 1) + length)
            var words = [UInt32](repeating: .max, count: 16 * Self.lanes)
            // In bounds: a tile's words, and exactly as many bytes as the last row needs.
            unsafe sallyport_lanes_load(code, &words, rows, stride, rows.count, Self.lanes, length)
            for lane in [0, 1, 6, 40, 62, 63] {
                var row = [UInt8](rows[(lane * stride)..<(lane * stride + length)])
                while row.count % 16 != 0 { row.append(0) }
                let expected = (0..<16).map { word in
                    4 * word >= row.count
                        ? UInt32.max : (0..<4).reduce(UInt32(0)) { $0 | UInt32(row[4 * word + $1]) << (8 * UInt32($1)) }
                }
                #expect((0..<16).map { words[$0 * Self.lanes + lane] } == expected, "lane \(lane), \(length) bytes")
            }
        }
    }
}
