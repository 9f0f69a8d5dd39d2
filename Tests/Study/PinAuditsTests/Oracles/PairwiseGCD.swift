import BigInt

/// What `BatchGCD` computes, one pair after the other.
func pairwiseDivisors(of moduli: [BigUInt]) -> [BigUInt] {
    let distinct = Set(moduli)
    return moduli.map { modulus in
        var others: BigUInt = 1
        for other in distinct where other != modulus { others = others * other % modulus }
        return others.isZero ? modulus : modulus.greatestCommonDivisor(with: others)
    }
}
