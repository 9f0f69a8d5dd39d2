internal import Crypto
package import PeerComparison

/// Fixed work that no change of ours makes faster or slower: a slow minute of the machine hits it as well.
package enum Yardstick: Sendable {
    /// Multiplications and shifts that wait for each other.
    case scalar
    /// Loads that wait for each other, all over memory that the cache does not hold.
    case memory
    /// SHA-256 of 1 KiB by BoringSSL.
    case sha256
    /// The engine calls that a decision of the facade makes, one after the other.
    case engines(@Sendable () -> Contestant)

    /// How it is called in committed numbers.
    package var name: String {
        switch self {
        case .scalar: "scalar"
        case .memory: "memory"
        case .sha256: "sha256"
        case .engines: "engines"
        }
    }

    /// The work itself, one unit for each repetition.
    package func contestant() -> Contestant {
        switch self {
        case .scalar: Contestant("yardstick", name, perform: Self.mix)
        case .memory: Contestant("yardstick", name, perform: MemoryWalk().steps)
        case .sha256: Contestant("yardstick", name, perform: Self.hash)
        case .engines(let make): make()
        }
    }

    @inline(never)
    private static func mix(_ repetitions: Int) -> Int {
        var state: UInt64 = 1
        for _ in 0..<(repetitions &* 16) { state = (state ^ state &>> 29) &* 0xBF58_476D_1CE4_E5B9 }
        return Int(truncatingIfNeeded: state)
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

/// One cycle through 8 MiB, in an order that no prefetcher guesses.
private struct MemoryWalk {
    private let next: [UInt32]

    init() {
        let count: UInt32 = 1 << 21
        // A full period: the increment is odd, the factor is one more than a multiple of four.
        next = (0..<count).map { ($0 &* 1_664_525 &+ 1_013_904_223) & (count - 1) }
    }

    @inline(never)
    func steps(_ repetitions: Int) -> Int {
        var place = 0
        for _ in 0..<repetitions { place = Int(next[place]) }
        return place
    }
}
