import NTLM
import TestSupport
import Testing

@testable import ClientAuthentication

@Suite struct NonceCountsTests {
    private static func nonce(_ number: UInt64, at time: UInt64 = 1) -> DigestNonces.Nonce {
        DigestNonces.Nonce(time: time, number: number)
    }

    @Test("Each count is taken once, in any order of the last 64")
    func counts() {
        let counts = NonceCounts()
        for count: UInt32 in [1, 3, 2, 70, 69, 7] { #expect(counts.use(count, of: Self.nonce(1))) }
        for count: UInt32 in [1, 2, 3, 7, 69, 70, 6, 0] { #expect(!counts.use(count, of: Self.nonce(1))) }
        #expect(counts.use(.max, of: Self.nonce(1)))
        #expect(!counts.use(70, of: Self.nonce(1)))
        #expect(counts.use(1, of: Self.nonce(2)))
    }

    @Test("Counts agree with a set of all counts, as long as none is older than the last 64", arguments: 0..<8)
    func naiveTwin(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let counts = NonceCounts()
        var used: Set<UInt32> = []
        var highest: UInt32 = 0
        for _ in 0..<2_000 {
            let lowest = highest > 60 ? highest - 60 : 1
            let count = UInt32.random(in: lowest...(highest + 5), using: &generator)
            #expect(counts.use(count, of: Self.nonce(1)) == used.insert(count).inserted)
            highest = max(highest, count)
        }
    }

    @Test("At the bound the oldest nonces become stale")
    func bound() {
        let counts = NonceCounts()
        for number in 0..<UInt64(NonceCounts.maximumNonces) {
            #expect(counts.use(1, of: Self.nonce(number, at: 10 + number)))
        }
        #expect(counts.use(1, of: Self.nonce(1, at: 1_000_000)))
        #expect(!counts.use(2, of: Self.nonce(0, at: 10)))
        #expect(!counts.use(1, of: Self.nonce(0, at: 10)))
        let last = UInt64(NonceCounts.maximumNonces - 1)
        #expect(counts.use(2, of: Self.nonce(last, at: 10 + last)))
    }
}
