/// Keys of the form of CVE-2017-15361 (Nemec et al., "The Return of Coppersmith's Attack", 2017).
///
/// Their primes are k·M + (65537ᵃ mod M), where M is the product of the first primes; so n is a power of 65537 modulo
/// M. That is asked prime by prime: is n a power of 65537 modulo this prime (the fingerprint), and of which logarithm?
/// Then whether one number has all these logarithms: they must agree modulo each prime power that the orders have in
/// common.
enum ROCA {
    /// How many of the first primes make up M, by the bits of the modulus (section 2.1 of the paper).
    private static func primeCount(bits: Int) -> Int {
        switch bits {
        case ..<992: 39
        case ..<1984: 71
        case ..<3968: 126
        default: 225
        }
    }

    /// The powers of 65537 modulo one prime.
    private struct PowerTable {
        let prime: UInt
        let order: Int
        /// The logarithm of each residue; −1 for a residue that is not a power of the generator.
        let logarithms: [Int]

        init(prime: UInt) {
            self.prime = prime
            var logarithms = [Int](repeating: -1, count: Int(prime))
            var power = 1
            var exponent = 0
            while logarithms[power] < 0 {
                logarithms[power] = exponent
                power = power * 65_537 % Int(prime)
                exponent += 1
            }
            order = exponent
            self.logarithms = logarithms
        }
    }

    /// For the first 225 primes but 2, modulo which every odd number is a power.
    private static let tables = SmallPrimes.primes.prefix(224).map { PowerTable(prime: UInt($0.value)) }

    /// Whether `words`, least significant first, is a modulus of that form.
    ///
    /// A modulus by chance fails after a few primes; the fingerprint alone passes one in 2²⁷ of the shortest keys.
    static func matches(_ words: [UInt], bits: Int) -> Bool {
        var logarithms: [(value: Int, order: Int)] = []
        let count = primeCount(bits: bits) - 1
        var index = 0
        while index < count {
            // As many primes as a word holds share one pass over the number.
            var divisor: UInt = 1
            var end = index
            while end < count {
                let (product, overflows) = divisor.multipliedReportingOverflow(by: tables[end].prime)
                guard !overflows else { break }
                divisor = product
                end += 1
            }
            let remainder = SmallPrimes.remainder(of: words, by: divisor)
            for table in tables[index..<end] {
                let logarithm = table.logarithms[Int(remainder % table.prime)]
                guard logarithm >= 0 else { return false }
                logarithms.append((logarithm, table.order))
            }
            index = end
        }
        return isOneLogarithm(logarithms)
    }

    /// Whether one number leaves each value modulo its order (the Chinese remainder theorem, prime power by prime
    /// power).
    private static func isOneLogarithm(_ logarithms: [(value: Int, order: Int)]) -> Bool {
        var known: [Int: (power: Int, value: Int)] = [:]
        for (value, order) in logarithms {
            for (prime, power) in primePowers(of: order) {
                let other = known[prime] ?? (1, 0)
                guard (value - other.value) % min(power, other.power) == 0 else { return false }
                if power > other.power { known[prime] = (power, value) }
            }
        }
        return true
    }

    private static func primePowers(of number: Int) -> [(prime: Int, power: Int)] {
        var powers: [(prime: Int, power: Int)] = []
        var rest = number
        var divisor = 2
        while rest > 1 {
            if divisor * divisor > rest { divisor = rest }
            var power = 1
            while rest % divisor == 0 {
                rest /= divisor
                power *= divisor
            }
            if power > 1 { powers.append((divisor, power)) }
            divisor += 1
        }
        return powers
    }
}
