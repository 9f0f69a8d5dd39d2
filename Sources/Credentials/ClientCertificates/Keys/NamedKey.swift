internal import SPKIPins
internal import WireFormat

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
        // A key that occurs twice in the file counts once.
        let isOne = allSatisfy { $0.key.publicKeyInfo == first.key.publicKeyInfo }
        if isOne, choice == nil { return first.key }
        var names: [String] = []
        for (index, one) in enumerated() {
            let name = one.name ?? Self.subject(of: one.key, in: certificates) ?? "key \(index + 1)"
            var (unique, number) = (name, 1)
            while names.contains(unique) {
                number += 1
                unique = "\(name) (\(number))"
            }
            names.append(unique)
        }
        guard let choice else { throw .severalKeys(names) }
        // The errors show long and unusual names in another form, which a person copies.
        let place = names.firstIndex(of: choice) ?? names.firstIndex { VisibleText.quoted($0) == "\"\(choice)\"" }
        guard let place else { throw .noSuchKey(choice, names) }
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
