import BigInt
import TestSupport
import Testing

@testable import PinAudits

@Suite struct SquareRootTests {
    @Test("The square root is the one that BigInt computes", arguments: Effort.seeds(24, thorough: 64))
    func agreesWithBigInt(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let number = BigUInt.randomInteger(withMaximumWidth: 16 * Int(seed), using: &random)
            let square = number * number
            expect(number)
            for near in [square, square + 1, square + number, square + 2 * number, square + 2 * number + 1] {
                expect(near)
            }
        }
        // Words of which all bits are set are those at which a digit is guessed too large, or does not fit a word.
        let ones = (BigUInt(1) << Int(32 * seed)) - 1
        for number in [ones, ones * ones, ones * ones + 2 * ones, ones + 1, (ones + 1) * ones, ones << 64] {
            expect(number)
        }
        expect(0)
    }

    private func expect(_ number: BigUInt) {
        let found = SquareRoot(of: number)
        let root = number.squareRoot()
        #expect(found.root == root, "\(number)")
        #expect(found.isExact == (root * root == number), "\(number)")
    }
}
