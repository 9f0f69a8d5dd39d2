internal import BigInt

/// The strong test of Miller and Rabin: a number that fails it is composite, one that passes it is a prime, or was chosen to
/// pass.
///
/// A modulus of two primes passes for base 2 with a chance that is negligible, so one power is all that a sound key costs.
/// What passes is tried with random bases, of which a composite number passes one in four at most.
enum ProbablePrime {
    /// How many random bases follow base 2: a composite number passes all of them once in 4¹⁰, a million, at most.
    static let randomBases = 10

    /// Whether the number passes for all bases.
    ///
    /// - Complexity: O(*n*³) in the words of the number: 6 ms for 2048 bits, 65 for 4096, 4 s for 16 384; eleven times that
    ///   for a prime.
    static func isOne(_ number: BigUInt) -> Bool {
        guard number > 3, number.words[0] & 1 == 1 else { return number == 2 || number == 3 }
        var test = StrongTest(of: number)
        return test.passes(base: 2)
            && (0..<randomBases).allSatisfy { _ in
                test.passes(base: BigUInt.randomInteger(lessThan: number - 3) + 2)
            }
    }
}

/// The strong test for one number and any base.
private struct StrongTest {
    private var registers: ModularRegisters
    /// The number less one is `oddPart` times 2 to the power of `twos`.
    private let oddPart: BigUInt
    private let twos: Int

    private static let one = ModularRegisters.Index(0)
    private static let minusOne = ModularRegisters.Index(1)
    private static let base = ModularRegisters.Index(2)
    private static let power = ModularRegisters.Index(3)

    /// - Precondition: the number is odd and above 3.
    init(of number: BigUInt) {
        let even = number - 1
        twos = even.trailingZeroBitCount
        oddPart = even >> twos
        registers = ModularRegisters(modulo: number, registers: 4)
        registers.set(Self.one, to: 1)
        registers.set(Self.minusOne, to: even)
    }

    /// - Precondition: `base` is above 1 and below the number less one.
    mutating func passes(base: BigUInt) -> Bool {
        registers.set(Self.base, to: base)
        registers.copy(Self.base, to: Self.power)
        for bit in (0..<oddPart.bitWidth - 1).reversed() {
            registers.multiply(Self.power, Self.power, into: Self.power)
            if oddPart.words[bit / UInt.bitWidth] >> UInt(bit % UInt.bitWidth) & 1 == 1 {
                registers.multiply(Self.power, Self.base, into: Self.power)
            }
        }
        if registers.isEqual(Self.power, Self.one) || registers.isEqual(Self.power, Self.minusOne) { return true }
        for _ in 1..<twos {
            registers.multiply(Self.power, Self.power, into: Self.power)
            if registers.isEqual(Self.power, Self.minusOne) { return true }
        }
        return false
    }
}
