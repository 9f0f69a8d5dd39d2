internal import BigInt
internal import SPKIPins

/// Distinct keys, in the order of the input.
struct AuditedKeys {
    private struct Key {
        let pin: Pin
        let subjectPublicKeyInfo: [UInt8]
        let certificate: Int?
    }

    private var keys: [Key] = []
    private var places: [Pin: Int] = [:]

    var pins: [Pin] { keys.map(\.pin) }

    func contains(_ pin: Pin) -> Bool { places[pin] != nil }

    /// The first certificate that holds the key.
    func certificate(of pin: Pin) -> Int? { places[pin].flatMap { keys[$0].certificate } }

    mutating func append(_ pin: Pin, _ subjectPublicKeyInfo: [UInt8], certificate: Int?) {
        guard places[pin] == nil else { return }
        places[pin] = keys.count
        keys.append(Key(pin: pin, subjectPublicKeyInfo: subjectPublicKeyInfo, certificate: certificate))
    }

    /// The weaknesses of each key, including primes that it shares with other keys.
    func findings(
        blocked: Set<Pin>,
        moduli blockedModuli: BlockedModuli,
        progress: @escaping (_ done: Int, _ total: Int) -> Void
    ) -> [AuditFinding] {
        var weaknesses: [[KeyWeakness]] = []
        weaknesses.reserveCapacity(keys.count)
        var moduli: [(key: Int, modulus: BigUInt)] = []
        var exponents: [BigUInt] = []
        let stepsOfBatch = BatchGCD.stepsPerModulus
        let total = keys.count * (1 + stepsOfBatch)
        for (index, key) in keys.enumerated() {
            var found: [KeyWeakness] = blocked.contains(key.pin) ? [.blocked] : []
            do throws(PublicKeyError) {
                let material = try PublicKeyMaterial(of: key.subjectPublicKeyInfo.span)
                if case .rsa(let rsa) = material {
                    if found.isEmpty, blockedModuli.contains(rsa) { found = [.blocked] }
                    moduli.append((index, rsa.modulus))
                    exponents.append(rsa.exponent)
                }
                found += material.weaknesses()
            } catch {
                found.append(.unreadable(error))
            }
            weaknesses.append(found)
            progress(index + 1, total)
        }
        let divisors = BatchGCD.divisors(of: moduli.map(\.modulus)) { done, _ in progress(keys.count + done, total) }
        // Keys without a modulus are not in the batch, so their steps are reported here.
        progress(total, total)
        let shared = zip(moduli, divisors).filter { $0.1 > 1 }
        let partners = PrimePartners.partners(of: shared.map { ($0.0.modulus, $0.1) })
        for (one, partner) in zip(shared, partners) {
            let other = partner.map { keys[shared[$0].0.key].pin }
            weaknesses[one.0.key].append(.sharedPrime(with: other))
        }
        var firstOfModulus: [BigUInt: Int] = [:]
        for (index, one) in moduli.enumerated() {
            guard let first = firstOfModulus[one.modulus] else {
                firstOfModulus[one.modulus] = index
                continue
            }
            let isSame = exponents[index] == exponents[first]
            for (key, other) in [(moduli[first].key, one.key), (one.key, moduli[first].key)] {
                weaknesses[key].append(.sameModulus(with: keys[other].pin, isSameExponent: isSame))
            }
        }
        return zip(keys, weaknesses).flatMap { key, weaknesses in
            weaknesses.map { AuditFinding(place: .key(key.pin, certificate: key.certificate), problem: .key($0)) }
        }
    }
}
