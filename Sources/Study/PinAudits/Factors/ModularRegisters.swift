internal import BigInt
internal import CModularProducts

/// Numbers modulo one odd number n, each in a register, in Montgomery's form: x is stored as x · 2^(64 · count) modulo
/// n.
///
/// ```
/// words:  register 0 | register 1 | …     each `count` words, the least significant first, below n
/// ```
@safe struct ModularRegisters {
    /// Position of a number among the others.
    struct Index: Equatable, Sendable {
        let rawValue: Int

        init(_ rawValue: Int) { self.rawValue = rawValue }
    }

    let modulus: BigUInt
    private let modulusWords: [UInt64]
    /// −1/n modulo 2⁶⁴.
    private let inverse: UInt64
    private let count: Int
    private var words: [UInt64]
    /// Scratch space of a product: one word more than a number.
    private var scratch: [UInt64]

    /// Makes registers that hold zero.
    ///
    /// - Precondition: `modulus` is odd and above 1, and there is a register.
    init(modulo modulus: BigUInt, registers: Int) {
        precondition(modulus > 1 && modulus.words[0] & 1 == 1 && registers > 0)
        self.modulus = modulus
        modulusWords = modulus.words.map(UInt64.init)
        count = modulusWords.count
        inverse = 0 &- SmallPrimes.inverse(of: modulusWords[0])
        words = [UInt64](repeating: 0, count: registers * count)
        scratch = [UInt64](repeating: 0, count: count + 1)
    }

    /// Sets a register.
    mutating func set(_ index: Index, to number: BigUInt) {
        let form = ((number << (count * UInt64.bitWidth)) % modulus).words
        let start = start(of: index)
        for offset in 0..<count { words[start + offset] = offset < form.count ? UInt64(form[offset]) : 0 }
    }

    func isEqual(_ a: Index, _ b: Index) -> Bool {
        let (a, b) = (start(of: a), start(of: b))
        return words[a..<a + count] == words[b..<b + count]
    }

    mutating func copy(_ from: Index, to index: Index) {
        let (from, to) = (start(of: from), start(of: index))
        for offset in 0..<count { words[to + offset] = words[from + offset] }
    }

    /// The result may be one of the factors.
    mutating func multiply(_ a: Index, _ b: Index, into result: Index) {
        let (a, b, result) = (start(of: a), start(of: b), start(of: result))
        let count = count
        let inverse = inverse
        unsafe modulusWords.withUnsafeBufferPointer { modulus in
            unsafe words.withUnsafeMutableBufferPointer { words in
                unsafe scratch.withUnsafeMutableBufferPointer { scratch in
                    guard let words = words.baseAddress, let modulus = modulus.baseAddress,
                        let scratch = scratch.baseAddress
                    else { return }
                    // In bounds: `start(of:)` checked that `count` words follow each place; scratch has one word more.
                    unsafe sallyport_modular_product(
                        words + result,
                        words + a,
                        words + b,
                        modulus,
                        inverse,
                        count,
                        scratch
                    )
                }
            }
        }
    }

    private func start(of index: Index) -> Int {
        let start = index.rawValue * count
        precondition(start >= 0 && start + count <= words.count)
        return start
    }
}
