import InsecureDigests
import TestLimits
import TestSupport
import Testing
import WireFormat

extension LaneKernel {
    /// Ends the test case when this machine lacks the instructions.
    func orCancel() throws {
        if !runsHere { try Test.cancel("this machine lacks \(self)") }
    }
}

@Suite(.inTurn) struct DigestBatchTests {
    /// Every path of padding, and lengths that are not a multiple of the 16 bytes that are loaded at once.
    static let lengths = [0, 1, 15, 16, 24, 54, 55, 56, 63, 64, 65, 119, 120, 128, 200]

    @Test func bestRunsAndNothingWiderDoes() {
        #expect(LaneKernel.best.runsHere)
        #expect(LaneKernel.allCases.last(where: \.runsHere) == LaneKernel.best)
    }

    @Test("RFC 1320 A.5 and RFC 1321 A.5 in every lane", arguments: LaneKernel.allCases)
    func publishedVectors(kernel: LaneKernel) throws {
        try kernel.orCancel()
        let message = [UInt8]("message digest".utf8)
        let messages = [UInt8]((0..<70).map { _ in message }.joined())
        let md4 = MD4.hashes(of: messages.span, count: 70, kernel: kernel)
        let md5 = MD5.hashes(of: messages.span, count: 70, kernel: kernel)
        #expect(md4.count == 70 && md5.count == 70)
        #expect(md4.allSatisfy { Hexadecimal.encode($0.bytes.span) == "d9130a8164549fe818874806e1c7014b" })
        #expect(md5.allSatisfy { Hexadecimal.encode($0.bytes.span) == "f96b697d7cb7938d525a2f31aaf161d0" })
    }

    @Test("MS-NLMP 4.2.2.1.2: NT hash of \"Password\"", arguments: LaneKernel.allCases)
    func ntHash(kernel: LaneKernel) throws {
        try kernel.orCancel()
        let password = [UInt8]("Password".utf8.flatMap { [$0, 0] })
        let hashes = MD4.hashes(of: password.span, count: 1, kernel: kernel)
        #expect(hashes.map { Hexadecimal.encode($0.bytes.span) } == ["a4f49c406510bdcab6824ee7c30fd852"])
    }

    // One test a kernel, so that a report names those which this machine could not run.

    @Test("Portable: every count up to 130 agrees with one by one", arguments: UInt64(1)...2)
    func everyCountPortable(seed: UInt64) { checkEveryCount(.portable, seed: seed) }

    @Test("128 bits: every count up to 130 agrees with one by one", arguments: UInt64(1)...2)
    func everyCountVector128(seed: UInt64) { checkEveryCount(.vector128, seed: seed) }

    @Test(
        "AVX2: every count up to 130 agrees with one by one",
        .enabled(if: LaneKernel.avx2.runsHere, "this machine lacks AVX2"),
        arguments: UInt64(1)...2
    )
    func everyCountAVX2(seed: UInt64) { checkEveryCount(.avx2, seed: seed) }

    @Test(
        "AVX-512: every count up to 130 agrees with one by one",
        .enabled(if: LaneKernel.avx512.runsHere, "this machine lacks AVX-512"),
        arguments: UInt64(1)...2
    )
    func everyCountAVX512(seed: UInt64) { checkEveryCount(.avx512, seed: seed) }

    private func checkEveryCount(_ kernel: LaneKernel, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for count in 1...130 {
            let length = Self.lengths[count % Self.lengths.count]
            let messages = generator.bytes(count * length)
            let md4 = MD4.hashes(of: messages.span, count: count, kernel: kernel)
            let md5 = MD5.hashes(of: messages.span, count: count, kernel: kernel)
            guard md4.count == count, md5.count == count else {
                Issue.record("seed \(seed): \(md4.count) and \(md5.count) digests of \(count) messages")
                continue
            }
            for index in 0..<count {
                let message = messages.span.extracting((index * length)..<((index + 1) * length))
                let expected = (MD4.hash(message).bytes, MD5.hash(message).bytes)
                #expect(md4[index].bytes == expected.0, "seed \(seed), \(index) of \(count), \(length) bytes")
                #expect(md5[index].bytes == expected.1, "seed \(seed), \(index) of \(count), \(length) bytes")
            }
        }
    }

    @Test("Every length up to 140 agrees with the naive twins", arguments: LaneKernel.allCases)
    func everyLength(kernel: LaneKernel) throws {
        try kernel.orCancel()
        var generator = SeededGenerator(seed: 7)
        for length in 0...140 {
            let messages = generator.bytes(17 * length)
            let md4 = MD4.hashes(of: messages.span, count: 17, kernel: kernel)
            let md5 = MD5.hashes(of: messages.span, count: 17, kernel: kernel)
            // The first, one inside a vector, and the last, behind which there is nothing to read.
            for index in [0, 5, 16] {
                let message = [UInt8](messages[(index * length)..<((index + 1) * length)])
                #expect(md4[index].bytes == NaiveDigests.md4(message), "\(index), \(length) bytes")
                #expect(md5[index].bytes == NaiveDigests.md5(message), "\(index), \(length) bytes")
            }
        }
    }

    @Test func nothingOfNothing() {
        let empty: [UInt8] = []
        #expect(MD4.hashes(of: empty.span, count: 0).isEmpty)
    }

    @Test func unequalLengthsAreTheCallersBug() async {
        await #expect(processExitsWith: .failure) {
            let seven = [UInt8](repeating: 0, count: 7)
            _ = MD4.hashes(of: seven.span, count: 2)
        }
    }

    @Test func bytesWithoutMessageAreTheCallersBug() async {
        await #expect(processExitsWith: .failure) {
            let seven = [UInt8](repeating: 0, count: 7)
            _ = MD4.hashes(of: seven.span, count: 0)
        }
    }
}
