/// The cost of scrypt (RFC 7914 section 2): it takes 128 · N · r bytes of memory, and time in proportion to N · r · p.
package struct ScryptCost: Equatable, Sendable {
    /// The base-2 logarithm of N.
    package let logarithmOfN: UInt8
    /// The size of a block, in units of 128 bytes.
    package let r: UInt8
    /// How often the whole is repeated.
    package let p: UInt8

    /// N = 2^17, r = 8, p = 1: 128 MiB, and about half a second.
    package static let standard = ScryptCost(logarithmOfN: 17, r: 8, p: 1)

    /// The most that a file may ask for, as a product in bytes, so that a changed file neither hangs nor exhausts this process.
    private static let mostBytes = 256 << 20

    private init(logarithmOfN: UInt8, r: UInt8, p: UInt8) {
        self.logarithmOfN = logarithmOfN
        self.r = r
        self.p = p
    }

    /// Makes a cost.
    ///
    /// - Returns: `nil` if 128 · N · r · p is more than 256 MiB, or if RFC 7914 excludes the values.
    package init?(checking logarithmOfN: UInt8, r: UInt8, p: UInt8) {
        // RFC 7914 section 2: 1 < N < 2^(128 · r / 8), and r and p are positive.
        guard (1...24).contains(logarithmOfN), r > 0, p > 0, Int(logarithmOfN) < 16 * Int(r) else { return nil }
        guard 128 * (1 << Int(logarithmOfN)) * Int(r) * Int(p) <= Self.mostBytes else { return nil }
        self.init(logarithmOfN: logarithmOfN, r: r, p: p)
    }
}
