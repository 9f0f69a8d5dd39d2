internal import SPKIPins

/// A private key of a file, and the name that the file has for it.
struct NamedKey {
    let key: IdentityKey
    /// The friendlyName of PKCS#12.
    let name: String?
}

extension [NamedKey] {
    /// The only key, or the one with the name that was chosen.
    ///
    /// - Parameters:
    ///   - choice: one of the names that the error lists; `nil` takes the only key.
    ///   - certificates: DER; a key without a name of its own has that of its certificate's subject.
    func chosen(_ choice: String?, certificates: [[UInt8]]) throws(IdentityError.Problem) -> IdentityKey {
        guard let first else { throw .noKey }
        // If the file has the same key twice, there is nothing to choose.
        let isOne = allSatisfy { $0.key.publicKeyInfo == first.key.publicKeyInfo }
        if isOne, choice == nil { return first.key }
        var names: [String] = []
        for (index, one) in enumerated() {
            let name = one.name ?? Self.subject(of: one.key, in: certificates) ?? "key \(index + 1)"
            let count = names.count { $0 == name || $0.hasPrefix(name + " (") }
            names.append(count == 0 ? name : "\(name) (\(count + 1))")
        }
        guard let choice else { throw .severalKeys(names) }
        guard let place = names.firstIndex(of: choice) else { throw .noSuchKey(choice, names) }
        return self[place].key
    }

    private static func subject(of key: IdentityKey, in certificates: [[UInt8]]) -> String? {
        for certificate in certificates {
            guard let walk = try? CertificateWalk(of: certificate.span),
                certificate[walk.subjectPublicKeyInfo.range].elementsEqual(key.publicKeyInfo)
            else { continue }
            return DistinguishedName.text(ofName: [UInt8](certificate[walk.subject]))
        }
        return nil
    }
}
