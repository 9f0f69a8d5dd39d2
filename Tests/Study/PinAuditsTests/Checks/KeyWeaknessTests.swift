import BigInt
import TestSupport
import Testing

@testable import PinAudits

@Suite struct KeyWeaknessTests {
    @Test func eachKeyHasTheWeaknessesItWasMadeWith() throws {
        let fixtures = try WeakKeyFixture.all()
        #expect(fixtures.count > 40)
        // Long keys take half a second in a debug build, so an ordinary run has one for each list of weaknesses.
        var lists: Set<[Substring]> = []
        for fixture in fixtures {
            let isNew = lists.insert(fixture.expected.map { $0.prefix { $0 != ":" } }).inserted
            guard isNew || fixture.subjectPublicKeyInfo.count < 250 || Effort.isThorough else { continue }
            let material = try PublicKeyMaterial(of: fixture.subjectPublicKeyInfo.span)
            #expect(material.weaknesses().map(label).sorted() == fixture.expected, "\(fixture.name)")
        }
    }

    @Test("Exact division finds the smallest factor that plain division finds", arguments: UInt64(1)...32)
    func smallFactorsAgree(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<8 {
            let words = (0..<Int.random(in: 1...80, using: &random)).map { _ in
                UInt.random(in: 1 ... .max, using: &random)
            }
            let number = BigUInt(words: words)
            let naive =
                number % 2 == 0
                ? 2 : SmallPrimes.primes.first { SmallPrimes.remainder(of: words, by: UInt($0.value)) == 0 }?.value
            #expect(SmallPrimes.factor(of: words) == naive)
        }
    }

    @Test func theSieveHoldsTheFirstOddPrimes() {
        // 6542 primes up to 65 537 and one more, less the 2: OEIS A000720 at 65 536 is 6542.
        #expect(SmallPrimes.primes.count == 6542)
        #expect(SmallPrimes.primes.last?.value == 65_537)
    }

    private func label(_ weakness: KeyWeakness) -> String {
        switch weakness {
        case .unreadable: "unreadable"
        case .notExamined(.algorithm(let identifier)): "unexamined:algorithm:\(identifier)"
        case .notExamined(.curve(let identifier)): "unexamined:curve:\(identifier)"
        case .shortModulus(let bits): "short:\(bits)"
        case .oddModulusLength(let bits): "odd:\(bits)"
        case .primeModulus: "prime"
        case .smallFactor(let factor): "factor:\(factor)"
        case .divisor(let divisor): "divisor:\(divisor)"
        case .closePrimes: "close"
        case .primeRatio(let one, let other): "ratio:\(one):\(other)"
        case .sameModulus: "same-modulus"
        case .roca: "roca"
        case .trivialExponent: "trivial"
        case .evenExponent: "even"
        case .smallExponent(let exponent): "small:\(exponent)"
        case .largeExponent(let bits): "large:\(bits)"
        case .exponentAboveModulus: "above"
        case .smallPrivateExponent: "wiener"
        case .sharedPrime: "shared"
        case .pointOffCurve: "off"
        case .identityPoint: "identity"
        case .generatorPoint: "generator"
        case .blocked: "blocked"
        }
    }
}
