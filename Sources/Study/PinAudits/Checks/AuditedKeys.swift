internal import BigInt
internal import SPKIPins

/// Keys in the order in which they came, each once.
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

    /// What is wrong with each key, by itself and beside the others.
    func findings(blocked: Set<Pin>, progress: @escaping (_ done: Int, _ total: Int) -> Void) -> [AuditFinding] {
        var weaknesses: [[KeyWeakness]] = []
        weaknesses.reserveCapacity(keys.count)
        var moduli: [(key: Int, modulus: BigUInt)] = []
        let stepsOfBatch = BatchGCD.stepsPerModulus
        let total = keys.count * (1 + stepsOfBatch)
        for (index, key) in keys.enumerated() {
            var found: [KeyWeakness] = blocked.contains(key.pin) ? [.blocked] : []
            do throws(PublicKeyError) {
                let material = try PublicKeyMaterial(of: key.subjectPublicKeyInfo.span)
                found += material.weaknesses()
                if case .rsa(let rsa) = material { moduli.append((index, rsa.modulus)) }
            } catch {
                found.append(.unreadable(error))
            }
            weaknesses.append(found)
            progress(index + 1, total)
        }
        let divisors = BatchGCD.divisors(of: moduli.map(\.modulus)) { done, _ in progress(keys.count + done, total) }
        // Keys that have no modulus made no steps of the batch.
        progress(total, total)
        let shared = zip(moduli, divisors).filter { $0.1 > 1 }
        let partners = PrimePartners.partners(of: shared.map { ($0.0.modulus, $0.1) })
        for (one, partner) in zip(shared, partners) {
            let other = partner.map { keys[shared[$0].0.key].pin }
            weaknesses[one.0.key].append(.sharedPrime(with: other))
        }
        return zip(keys, weaknesses).flatMap { key, weaknesses in
            weaknesses.map { AuditFinding(place: .key(key.pin, certificate: key.certificate), problem: .key($0)) }
        }
    }
}
