import BigInt
import Testing

@testable import PinAudits

@Suite struct PrimeRatioTests {
    /// A prime of 160 bits. It and the gaps below are those of a Miller-Rabin test of Python with 24 random bases.
    private static let small = BigUInt("980939564229256881682934709421676937985671866627", radix: 10) ?? 0

    /// The ratio, and the gap from the small prime's multiple to the next prime.
    @Test(
        "Ratios of numbers up to 10, and of a power of two up to 64, are found and named as they are",
        arguments: [
            (2, 1, 19), (3, 2, 57), (5, 1, 34), (8, 1, 145), (10, 1, 21), (5, 2, 122), (10, 9, 25), (16, 1, 215),
            (32, 1, 187), (64, 1, 41),
            // These have the product of another ratio, such as 4:3.
            (12, 1, 223), (4, 3, 265),
        ]
    )
    func found(u: Int, v: Int, gap: Int) throws {
        let large = Self.small * BigUInt(u) / BigUInt(v) + BigUInt(gap)
        let ratio = try #require(PrimeRatio.ratio(ofPrimesOf: Self.small * large))
        #expect((ratio.u, ratio.v) == (u, v))
    }

    @Test("Other ratios are not looked for", arguments: [(11, 1, 82), (128, 1, 7), (25, 9, 2), (1000, 1, 83)])
    func notFound(u: Int, v: Int, gap: Int) {
        let large = Self.small * BigUInt(u) / BigUInt(v) + BigUInt(gap)
        #expect(PrimeRatio.ratio(ofPrimesOf: Self.small * large) == nil)
    }
}
