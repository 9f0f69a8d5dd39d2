/// Cyclic convolutions modulo p = 2⁶⁴ − 2³² + 1, exact, in O(*n* log *n*).
///
/// The transform goes over sequences of a power-of-two length; forward leaves its output in bit-reversed order, and
/// backward takes it so, as the products in between do not care.
///
/// p − 1 = 2³² · 3 · 5 · 17 · 257 · 65537, so there are roots of unity for every length up to 2³², and since
/// 2⁶⁴ ≡ 2³² − 1 and 2⁹⁶ ≡ −1, a product of two words is reduced by three additions.
struct NumberTheoreticTransform {
    /// The modulus p.
    static let prime: UInt64 = 0xFFFF_FFFF_0000_0001
    /// 7 generates the multiplicative group, which its order, p − 1, has been tested for in the tests.
    static let generator: UInt64 = 7

    /// A power of two, the length of every sequence.
    let count: Int
    /// ω to the powers of 0..<count/2, where ω is a primitive root of unity of order `count`.
    private let powers: [UInt64]
    private let inversePowers: [UInt64]
    private let inverseCount: UInt64

    init(count: Int) {
        precondition(count > 1 && count & (count - 1) == 0)
        self.count = count
        let root = Self.power(Self.generator, (Self.prime - 1) / UInt64(count))
        powers = Self.powers(of: root, count: count / 2)
        inversePowers = Self.powers(of: Self.power(root, Self.prime - 2), count: count / 2)
        inverseCount = Self.power(UInt64(count), Self.prime - 2)
    }

    /// Transforms in place; each value is below p before and after.
    func forward(_ values: inout [UInt64]) {
        precondition(values.count == count)
        var half = count / 2
        var stride = 1
        var values = values.mutableSpan
        let powers = powers.span
        while half > 0 {
            var start = 0
            while start < count {
                for index in 0..<half {
                    let low = values[start &+ index]
                    let high = values[start &+ index &+ half]
                    values[start &+ index] = Self.add(low, high)
                    values[start &+ index &+ half] = Self.multiply(Self.subtract(low, high), powers[index &* stride])
                }
                start += 2 * half
            }
            half /= 2
            stride *= 2
        }
    }

    /// Undoes `forward`.
    func backward(_ values: inout [UInt64]) {
        precondition(values.count == count)
        var half = 1
        var stride = count / 2
        var values = values.mutableSpan
        let powers = inversePowers.span
        while half < count {
            var start = 0
            while start < count {
                for index in 0..<half {
                    let low = values[start &+ index]
                    let high = Self.multiply(values[start &+ index &+ half], powers[index &* stride])
                    values[start &+ index] = Self.add(low, high)
                    values[start &+ index &+ half] = Self.subtract(low, high)
                }
                start += 2 * half
            }
            half *= 2
            stride /= 2
        }
        for index in 0..<count { values[index] = Self.multiply(values[index], inverseCount) }
    }

    // MARK: arithmetic modulo p, on values below p

    @inline(__always)
    static func add(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let (sum, carried) = a.addingReportingOverflow(b)
        // 2⁶⁴ − p = 2³² − 1
        let (reduced, fits) = sum.subtractingReportingOverflow(prime)
        return carried || !fits ? reduced : sum
    }

    @inline(__always)
    static func subtract(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let (difference, borrowed) = a.subtractingReportingOverflow(b)
        return borrowed ? difference &+ prime : difference
    }

    @inline(__always)
    static func multiply(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        let epsilon: UInt64 = 0xFFFF_FFFF
        // high = h₁·2³² + h₀, and h₁·2⁹⁶ ≡ −h₁, h₀·2⁶⁴ ≡ h₀·(2³² − 1)
        var (value, borrowed) = product.low.subtractingReportingOverflow(product.high >> 32)
        if borrowed { value = value &- epsilon }
        let (sum, carried) = value.addingReportingOverflow((product.high & epsilon) &* epsilon)
        let folded = carried ? sum &+ epsilon : sum
        return folded >= prime ? folded &- prime : folded
    }

    private static func power(_ base: UInt64, _ exponent: UInt64) -> UInt64 {
        var result: UInt64 = 1
        var base = base
        var exponent = exponent
        while exponent > 0 {
            if exponent & 1 == 1 { result = multiply(result, base) }
            base = multiply(base, base)
            exponent >>= 1
        }
        return result
    }

    private static func powers(of root: UInt64, count: Int) -> [UInt64] {
        var powers: [UInt64] = []
        powers.reserveCapacity(count)
        var power: UInt64 = 1
        for _ in 0..<count {
            powers.append(power)
            power = multiply(power, root)
        }
        return powers
    }
}
