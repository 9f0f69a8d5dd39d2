internal import Crypto
package import PeerComparison

/// Fixed work that does not depend on our code; a busy machine slows it as it slows our code.
package enum Yardstick: Sendable {
    /// Multiplications and shifts that wait for each other.
    case scalar
    /// Additions, shifts and exclusive ors that do not wait for each other, like most of our code.
    case wide
    /// Loads that wait for each other, from about as many cache lines as a few hundred lookups in a large table read.
    case lines
    /// SHA-256 of 1 KiB by BoringSSL.
    case sha256
    /// The engine calls that a decision of the facade makes, one after the other.
    case engines(@Sendable () -> MeasuredImplementation)

    /// Its name in tests.
    package var name: String {
        switch self {
        case .scalar: "scalar"
        case .wide: "wide"
        case .lines: "lines"
        case .sha256: "sha256"
        case .engines: "engines"
        }
    }

    /// By how much a ratio may differ from the committed one.
    package enum Tolerance: Equatable, Sendable {
        /// A part of the ratio.
        case part(Double)
        /// Nine tenths of a unit, and at most this part of the ratio.
        case wait(most: Double)
    }

    /// The tolerance of the ratios of code, and of what waits for memory.
    ///
    /// Ratios of code differ by less on a quiet machine, and `Benchmarks/Seeds/slower-loop.patch` changes one by 5.9 %.
    /// Programs on other cores share caches and tables of pages, so what waits for memory was a tenth slower for minutes.
    package var tolerance: Tolerance {
        switch self {
        case .lines: .wait(most: 0.25)
        case .scalar, .wide, .sha256, .engines: .part(0.05)
        }
    }

    /// The work itself, one unit for each repetition.
    package func implementation() -> MeasuredImplementation {
        switch self {
        case .scalar: MeasuredImplementation("yardstick", name, perform: Self.mix)
        case .wide: MeasuredImplementation("yardstick", name, perform: Self.mixSix)
        case .lines: MeasuredImplementation("yardstick", name, perform: LineWalk().steps)
        case .sha256: MeasuredImplementation("yardstick", name, perform: Self.hash)
        case .engines(let make): make()
        }
    }

    @inline(never)
    private static func mix(_ repetitions: Int) -> Int {
        var state: UInt64 = 1
        for _ in 0..<(repetitions &* 16) { state = (state ^ state &>> 29) &* 0xBF58_476D_1CE4_E5B9 }
        return Int(truncatingIfNeeded: state)
    }

    /// Six states that do not wait for each other.
    @inline(never)
    private static func mixSix(_ repetitions: Int) -> Int {
        var (a, b, c, d, e, f): (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4, 5, 6)
        for _ in 0..<(repetitions &* 8) {
            a = (a ^ a &>> 29) &+ 0x9E37_79B9
            b = (b ^ b &>> 27) &+ 0x7F4A_7C15
            c = (c ^ c &>> 25) &+ 0x1CE4_E5B9
            d = (d ^ d &>> 23) &+ 0x1331_11EB
            e = (e ^ e &>> 21) &+ 0x2545_F491
            f = (f ^ f &>> 19) &+ 0x4F6C_DD1D
        }
        return Int(truncatingIfNeeded: a ^ b ^ c ^ d ^ e ^ f)
    }

    private static func hash(_ repetitions: Int) -> Int {
        let text = [UInt8](repeating: 0x5a, count: 1024)
        var sum = 0
        for _ in 0..<repetitions {
            for byte in SHA256.hash(data: text).prefix(1) { sum &+= Int(byte) }
        }
        return sum
    }
}

/// One cycle through 1024 cache lines of 4 MiB, each on a page of its own, in an order that no prefetcher predicts: too many
/// for the smallest cache and for the first table of pages, like lookups in a large list.
private struct LineWalk {
    private let next: [UInt32]

    init() {
        let (lines, page, line): (UInt32, UInt32, UInt32) = (1024, 1024, 16)
        var next = [UInt32](repeating: 0, count: Int(lines * page))
        // A full period: the increment is odd, the factor is one more than a multiple of four. The line within the
        // page changes with the page, or all would fall into few sets of the cache.
        func place(_ number: UInt32) -> UInt32 { number &* page &+ number &* 7 % 64 &* line }
        for number in 0..<lines {
            next[Int(place(number))] = place((number &* 1_664_525 &+ 1_013_904_223) & (lines - 1))
        }
        self.next = next
    }

    @inline(never)
    func steps(_ repetitions: Int) -> Int {
        var place = 0
        for _ in 0..<repetitions { place = Int(next[place]) }
        return place
    }
}
