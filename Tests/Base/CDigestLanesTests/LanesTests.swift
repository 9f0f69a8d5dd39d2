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

    /// The chaining value of one lane.
    private static func value(_ state: [UInt32], _ lane: Int) -> [UInt32] {
        (0..<4).map { state[$0 * lanes + lane] }
    }

    /// RFC 1320 and RFC 1321 section 3.3.
    private static let initial: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]

    private static let someLanes = [1, 8, 9, 16, 17, 24, 25, 40, 41, 48, 49, 63, 64]

    @Test("HMAC in lanes agrees with its blocks written out", arguments: Kernel.allCases)
    func blocksOfHMAC(kernel: Kernel) throws {
        let code = try kernel.orCancel()
        var generator = SeededGenerator(seed: 9)
        // RFC 2104 section 2, and RFC 1321 section 3.1: 0x80, zeros, 8 × (64 + 16) bits.
        let end: [UInt8] = [0x80] + [UInt8](repeating: 0, count: 39) + [0x80, 2, 0, 0, 0, 0, 0, 0]
        func compressed(_ block: [UInt8], into value: [UInt32]) -> [UInt32] {
            var value = value
            CompressionTests.Algorithm.md5.compress(&value, block, from: 0, blocks: 1)
            return value
        }
        for lanes in Self.someLanes {
            let rows = generator.bytes(16 * Self.lanes)
            var state = [UInt32](repeating: 0, count: 4 * Self.lanes)
            var outer = [UInt32](repeating: 0xdead_beef, count: 4 * Self.lanes)
            // In bounds: chaining values of all lanes, a row of sixteen bytes for each.
            unsafe sallyport_lanes_load(code, &state, rows, 16, rows.count, Self.lanes, 16)
            unsafe sallyport_md5_start_hmac_lanes(code, &state, &outer, lanes)
            var codes = state
            unsafe sallyport_md5_end_hmac_lanes(code, &codes, outer, lanes)
            for lane in 0..<lanes {
                let key = rows[(16 * lane)..<(16 * lane + 16)]
                let inner = compressed(key.map { $0 ^ 0x36 } + .init(repeating: 0x36, count: 48), into: Self.initial)
                let last = compressed(key.map { $0 ^ 0x5c } + .init(repeating: 0x5c, count: 48), into: Self.initial)
                let digest = inner.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
                #expect(Self.value(state, lane) == inner, "lane \(lane) of \(lanes)")
                #expect(Self.value(outer, lane) == last, "lane \(lane) of \(lanes)")
                #expect(Self.value(codes, lane) == compressed(digest + end, into: last), "lane \(lane) of \(lanes)")
            }
        }
    }

    @Test("Short texts agree with their blocks written out", arguments: Kernel.allCases)
    func shortTexts(kernel: Kernel) throws {
        let code = try kernel.orCancel()
        var generator = SeededGenerator(seed: 12)
        for lanes in Self.someLanes {
            let texts = (0..<Self.lanes).map { lane in generator.bytes((lane + lanes) % 16).map { $0 & 0x7f } }
            let rows = texts.flatMap { $0 + [0x80] + [UInt8](repeating: 0, count: 15 - $0.count) }
            var words = [UInt32](repeating: 0xdead_beef, count: 16 * Self.lanes)
            for (lane, text) in texts.enumerated() { words[14 * Self.lanes + lane] = UInt32(16 * text.count) }
            var state = [UInt32](repeating: 0, count: 4 * Self.lanes)
            // In bounds: a tile's words and chaining values, and a row of sixteen bytes for every lane.
            unsafe sallyport_md4_texts(code, &state, &words, rows, lanes)
            for lane in 0..<lanes {
                let text: [UInt8] = texts[lane].flatMap { [$0, 0] as [UInt8] }
                let length = [UInt8(8 * text.count & 0xff), UInt8(8 * text.count >> 8), 0, 0, 0, 0, 0, 0]
                let block = text + [0x80] + [UInt8](repeating: 0, count: 55 - text.count) + length
                var expected = Self.initial
                CompressionTests.Algorithm.md4.compress(&expected, block, from: 0, blocks: 1)
                #expect(Self.value(state, lane) == expected, "lane \(lane) of \(lanes)")
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
