internal import Crypto

/// SHA-256 over a text and a counter: the same numbers for the same text, on every machine.
struct SeededNumbers: RandomNumberGenerator {
    private let key: [UInt8]
    private var block: [UInt8] = []
    private var counter: UInt64 = 0

    init(_ text: String) { key = [UInt8](text.utf8) }

    mutating func next() -> UInt64 {
        bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        while block.count < count {
            block += SHA256.hash(data: key + [0] + String(counter).utf8)
            counter += 1
        }
        defer { block.removeFirst(count) }
        return Array(block.prefix(count))
    }

    /// One of `range`.
    mutating func pick(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

    /// True once in `times`.
    mutating func once(in times: Int) -> Bool { pick(0..<times) == 0 }
}
