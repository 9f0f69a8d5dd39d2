internal import BigInt

extension RSAPublicKey {
    /// The weaknesses of this key alone; `BatchGCD` finds primes that it shares with other keys.
    ///
    /// - Complexity: most of it is one strong test (``ProbablePrime``); more for a private exponent that may be small.
    func weaknesses() -> [KeyWeakness] {
        let bits = modulus.bitWidth
        var weaknesses = exponentWeaknesses()
        if bits < KeyWeakness.leastBits { weaknesses.append(.shortModulus(bits: bits)) }
        if bits % 8 != 0 { weaknesses.append(.oddModulusLength(bits: bits)) }
        let words = [UInt](modulus.words)
        if let factor = SmallPrimes.factor(of: words) {
            // The methods below are for two large primes and would only say the same thing again.
            return weaknesses + [.smallFactor(factor)]
        }
        if ProbablePrime.isOne(modulus) { return weaknesses + [.primeModulus] }
        if let steps = ClosePrimes.steps(factoring: modulus) {
            weaknesses.append(.closePrimes(steps: steps))
        } else if let root = PerfectPower.root(of: modulus) {
            return weaknesses + [.divisor(String(root))]
        } else if let ratio = PrimeRatio.ratio(ofPrimesOf: modulus) {
            weaknesses.append(.primeRatio(ratio.u, ratio.v))
        }
        if ROCA.matches(words, bits: bits) { weaknesses.append(.roca) }
        if SmallPrivateExponent.isFound(modulus: modulus, exponent: exponent) {
            weaknesses.append(.smallPrivateExponent)
        }
        return weaknesses
    }

    private func exponentWeaknesses() -> [KeyWeakness] {
        if exponent <= 1 { return [.trivialExponent] }
        if exponent.words[0] & 1 == 0 { return [.evenExponent] }
        if exponent >= modulus { return [.exponentAboveModulus] }
        if exponent < 65_537 { return [.smallExponent(UInt64(exponent.words[0]))] }
        return exponent.bitWidth > 32 ? [.largeExponent(bits: exponent.bitWidth)] : []
    }
}

extension EllipticCurvePublicKey {
    /// The weaknesses of the point (SEC 1 3.2.2.1). These curves have cofactor 1, so the order of the point needs no
    /// check.
    ///
    /// - Complexity: some products; a compressed point, which certificates hardly have, takes a power in the field.
    func weaknesses() -> [KeyWeakness] {
        let numbers = curve.numbers
        let prime = numbers.prime
        let x: BigUInt
        switch point {
        case .identity: return [.identityPoint]
        case .uncompressed(let pointX, let y):
            guard pointX < prime, y < prime, y * y % prime == numbers.square(ofYAt: pointX) else {
                return [.pointOffCurve]
            }
            x = pointX
        case .compressed(let pointX, _):
            guard pointX < prime else { return [.pointOffCurve] }
            let square = numbers.square(ofYAt: pointX)
            // Euler's criterion: squares, and no others, have the power 1.
            guard square.isZero || square.power((prime - 1) >> 1, modulus: prime) == 1 else { return [.pointOffCurve] }
            x = pointX
        }
        return x == numbers.generatorX ? [.generatorPoint] : []
    }
}

extension CurveNumbers {
    /// x³ + ax + b, for an x below the prime.
    fileprivate func square(ofYAt x: BigUInt) -> BigUInt {
        (x * ((x * x + a) % prime) + b) % prime
    }
}

extension PublicKeyMaterial {
    /// The weaknesses of this key alone; ``KeyWeakness/notExamined(_:)`` for an unknown algorithm or curve.
    package func weaknesses() -> [KeyWeakness] {
        switch self {
        case .rsa(let key): key.weaknesses()
        case .ellipticCurve(let key): key.weaknesses()
        case .other(let kind): [.notExamined(kind)]
        }
    }
}
