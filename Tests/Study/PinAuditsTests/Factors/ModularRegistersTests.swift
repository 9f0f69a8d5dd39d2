import BigInt
import TestSupport
import Testing

@testable import PinAudits

@Suite struct ModularRegistersTests {
    @Test("Products agree with plain division", arguments: UInt64(1)...48)
    func agreesWithBigInt(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bits = Int.random(in: 2...1100, using: &random)
        // Close below a power of two, carries go furthest.
        let modulus =
            seed % 3 == 0
            ? (BigUInt(1) << bits) - 1 - 2 * BigUInt(UInt.random(in: 0..<(bits > 40 ? 1 << 20 : 1), using: &random))
            : BigUInt.randomInteger(withExactWidth: bits, using: &random) | 1
        let (a, b, result, one) = (
            ModularRegisters.Index(0), ModularRegisters.Index(1), ModularRegisters.Index(2), ModularRegisters.Index(3)
        )
        let product = ModularRegisters.Index(4)
        var registers = ModularRegisters(modulo: modulus, registers: 5)
        registers.set(one, to: 1)
        for round in 0..<16 {
            let numbers = (0..<2).map { index in
                round == index ? modulus - 1 : BigUInt.randomInteger(lessThan: modulus, using: &random)
            }
            registers.set(a, to: numbers[0])
            registers.set(b, to: numbers[1])
            registers.set(product, to: numbers[0] * numbers[1] % modulus)
            registers.multiply(a, b, into: result)
            #expect(registers.isEqual(result, product), "\(modulus)")
            // A product with one leaves Montgomery's form as it is, and the result may be a factor.
            registers.copy(a, to: result)
            registers.multiply(result, one, into: result)
            #expect(registers.isEqual(result, a))
        }
    }
}
