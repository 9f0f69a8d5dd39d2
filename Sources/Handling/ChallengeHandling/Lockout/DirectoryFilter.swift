/// A set of directories in 64 bytes. It may say that it contains one that it does not; this makes a withheld space narrower.
///
/// A Bloom filter of 512 bits, two for each directory: with ten directories one answer in 600 is wrong.
struct DirectoryFilter: Sendable {
    private var words = SIMD8<UInt64>()

    mutating func insert(_ path: RequestPath) {
        let (first, second) = Self.bits(path)
        words[first >> 6] |= 1 << UInt64(first & 63)
        words[second >> 6] |= 1 << UInt64(second & 63)
    }

    func contains(_ path: RequestPath) -> Bool {
        let (first, second) = Self.bits(path)
        return words[first >> 6] & 1 << UInt64(first & 63) != 0 && words[second >> 6] & 1 << UInt64(second & 63) != 0
    }

    /// Two numbers below 512.
    private static func bits(_ path: RequestPath) -> (Int, Int) {
        // FNV changes its low bits least, so the bits are mixed once more.
        let mixed = (path.directoryHash ^ path.directoryHash >> 32) &* 0x9E37_79B9_7F4A_7C15
        return (Int(mixed >> 55), Int(mixed >> 46 & 511))
    }
}
