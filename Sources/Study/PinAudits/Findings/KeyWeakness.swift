public import SPKIPins
internal import WireFormat

/// What is wrong with one key, by itself or beside others.
public enum KeyWeakness: Equatable, Sendable {
    /// The key cannot be read.
    case unreadable(PublicKeyError)
    /// The audit has no checks for this kind of key.
    case notExamined(UnexaminedKey)
    /// The modulus is so short that it can be factored.
    case shortModulus(bits: Int)
    /// The modulus fills no whole number of bytes, as that of no common generator does.
    case oddModulusLength(bits: Int)
    /// The modulus is a prime, so that the private exponent follows from it.
    case primeModulus
    /// The modulus has a small prime factor; it may be a prime itself then, or zero.
    case smallFactor(UInt64)
    /// A divisor of the modulus was found, in decimal digits; it has more than 64 bits.
    case divisor(String)
    /// The modulus is the product of two primes so close that Fermat's method found them after so many steps.
    case closePrimes(steps: Int)
    /// One prime of the modulus is close to the other one times a ratio of small numbers, such as 3:2, so that Fermat's method finds them.
    case primeRatio(Int, Int)
    /// The key was made by the chips of CVE-2017-15361 (ROCA), whose keys can be factored.
    case roca
    /// The exponent is 1 (or 0): a signature or a message is its own text.
    case trivialExponent
    /// The exponent is even, so no inverse modulo φ(n) and no private key exists.
    case evenExponent
    /// The exponent is sound but smaller than 65537.
    case smallExponent(UInt64)
    /// The exponent has more than 32 bits, which some verifiers refuse.
    case largeExponent(bits: Int)
    /// The exponent is not below the modulus.
    case exponentAboveModulus
    /// The private exponent follows from the public key by Wiener's method.
    case smallPrivateExponent
    /// The modulus has a prime factor in common with another key of the input, this one where it is known, so both can
    /// be factored.
    case sharedPrime(with: Pin?)
    /// Another key of the input has the same modulus. With another exponent, the holder of one private key can compute the other one; with the
    /// same exponent, the two are one key in two encodings.
    case sameModulus(with: Pin, isSameExponent: Bool)
    /// The point does not lie on its curve, or a coordinate is not below the prime.
    case pointOffCurve
    /// The point is the identity, which is not a valid key.
    case identityPoint
    /// The point is the generator or its negative: the private key is 1 or −1.
    case generatorPoint
    /// The key is on the block list that was given.
    case blocked
}

extension KeyWeakness {
    /// How bad it is.
    public var severity: AuditSeverity {
        switch self {
        case .unreadable, .oddModulusLength, .largeExponent, .sameModulus(with: _, isSameExponent: true): .warning
        case .shortModulus(let bits): bits < Self.factoredBits ? .critical : .warning
        case .smallExponent, .notExamined: .note
        case .primeModulus, .smallFactor, .divisor, .closePrimes, .primeRatio, .roca, .trivialExponent, .evenExponent,
            .exponentAboveModulus, .smallPrivateExponent, .sharedPrime, .sameModulus, .pointOffCurve, .identityPoint,
            .generatorPoint, .blocked:
            .critical
        }
    }

    /// Moduli below this have been factored in public: RSA-250, of 829 bits, in 2020.
    static let factoredBits = 1024
    /// NIST SP 800-131A and the CA/Browser Forum ask for this many.
    static let leastBits = 2048

    /// A name for programs; it stays the same from version to version.
    public var name: String {
        switch self {
        case .unreadable: "unreadable"
        case .notExamined: "not-examined"
        case .shortModulus: "short-modulus"
        case .oddModulusLength: "odd-modulus-length"
        case .primeModulus: "prime-modulus"
        case .smallFactor: "small-factor"
        case .divisor: "divisor"
        case .closePrimes: "close-primes"
        case .primeRatio: "prime-ratio"
        case .roca: "roca"
        case .trivialExponent: "trivial-exponent"
        case .evenExponent: "even-exponent"
        case .smallExponent: "small-exponent"
        case .largeExponent: "large-exponent"
        case .exponentAboveModulus: "exponent-above-modulus"
        case .smallPrivateExponent: "small-private-exponent"
        case .sharedPrime: "shared-prime"
        case .sameModulus: "same-modulus"
        case .pointOffCurve: "point-off-curve"
        case .identityPoint: "identity-point"
        case .generatorPoint: "generator-point"
        case .blocked: "blocked"
        }
    }

    /// What it is, in one sentence.
    public var sentence: String {
        switch self {
        case .unreadable(let error): "The key cannot be read: \(error)."
        case .notExamined(let kind): "Not examined: \(kind)."
        case .shortModulus(let bits): "The RSA modulus has \(bits) bits; the minimum in use is \(Self.leastBits)."
        case .oddModulusLength(let bits): "The RSA modulus has \(bits) bits, which is not a multiple of 8."
        case .primeModulus: "The RSA modulus is a prime number, so the private key follows from the public one."
        case .smallFactor(let factor): "The RSA modulus is divisible by \(factor)."
        case .divisor(let divisor): "The RSA modulus is divisible by \(divisor)."
        case .closePrimes(let steps):
            "The RSA primes are so close that Fermat's method finds them in \(steps.counted("step"))."
        case .primeRatio(let one, let other):
            "The RSA primes are so close to the ratio \(one):\(other) that Fermat's method finds them."
        case .roca: "The RSA key has the form of CVE-2017-15361 (ROCA) and can be factored."
        case .trivialExponent: "The RSA exponent is 0 or 1, so it does not encrypt, and anyone can forge signatures."
        case .evenExponent: "The RSA exponent is even, so it has no private key."
        case .smallExponent(let exponent): "The RSA exponent is \(exponent); the usual value is 65537."
        case .largeExponent(let bits): "The RSA exponent has \(bits) bits; some verifiers accept at most 32."
        case .exponentAboveModulus: "The RSA exponent is not below the modulus."
        case .smallPrivateExponent: "The private RSA exponent is so small that Wiener's method finds it."
        case .sharedPrime(let pin):
            "The RSA modulus shares a prime with \(pin.map { "the key \($0)" } ?? "another key of the input"), so both can be "
                + "factored."
        case .sameModulus(let pin, let isSameExponent):
            isSameExponent
                ? "The RSA key is that of \(pin) in another encoding, so neither is a backup of the other."
                : "The RSA modulus is that of the key \(pin), so the holder of one private key can compute the other one."
        case .pointOffCurve: "The point does not lie on its curve."
        case .identityPoint: "The point is the identity, which is not a valid key."
        case .generatorPoint: "The point is the generator of its curve or its negative: the private key is known."
        case .blocked: "The key is on the block list."
        }
    }

    /// What to do about it, in one sentence.
    public var remedy: String {
        switch self {
        case .unreadable: "Check where the key comes from, and encode it again."
        case .notExamined: "Check this key with a tool that supports its algorithm, or pin a key on P-256."
        case .shortModulus, .oddModulusLength: "Make a key of 2048 bits or more, or one on P-256."
        case .smallExponent, .largeExponent, .trivialExponent, .evenExponent, .exponentAboveModulus:
            severity == .note
                ? "No action is needed; make the next key with exponent 65537."
                : "Make a key with exponent 65537."
        case .pointOffCurve, .identityPoint, .generatorPoint:
            "Remove the pin, find out which software made the key, and make a new key with other software."
        case .sameModulus: "Make a key with primes of its own for each of the two."
        case .primeModulus, .smallFactor, .divisor, .closePrimes, .primeRatio, .roca, .smallPrivateExponent,
            .sharedPrime,
            .blocked:
            "Stop using the key, remove its pin, and make a new key with a sound generator."
        }
    }
}
