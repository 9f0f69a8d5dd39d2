internal import ArgumentParser
internal import OfflineVerbs
internal import SallyportNIO

/// What the options of several verbs say about the servers that are reached over TLS.
enum ServerRules {
    /// The help of `--allow-cipher`, which means the same in each verb.
    static let cipherHelp = ArgumentHelp(
        "Offer this older cipher of TLS 1.2, too, to a server that has no other: \(OlderCipher.names); may be repeated.",
        valueName: "name"
    )

    /// The help of `--crl`, which means the same in each verb.
    static let listHelp = ArgumentHelp(
        "Refuse servers whose certificate, or that of an authority between, is on this revocation list (CRL): a file in PEM or DER, or an http or https URL; may be repeated.",
        valueName: "file"
    )

    /// The roots of the file of `--cacert`.
    static func roots(of file: String, _ verb: String) throws -> [[UInt8]] {
        let roots = try PinsInput.roots(of: file, verb)
        for (index, root) in roots.enumerated() {
            guard let weakness = KeyFloor.weakness(ofRoot: root) else { continue }
            let place = roots.count == 1 ? "its key" : "the key of certificate \(index + 1)"
            throw PinsInput.fail(
                verb,
                "\(PinsInput.name(of: file)): \(place) is too weak (\(weakness)); use an authority with a larger key"
            )
        }
        return roots
    }
}

extension OlderCipher {
    /// The names of OpenSSL, for help and errors.
    static var names: String { allCases.map(\.nameInOpenSSL).joined(separator: ", ") }

    /// The cipher with this name of OpenSSL or IANA.
    static func named(_ name: String) throws -> OlderCipher {
        guard let cipher = OlderCipher(named: name) else { throw ValidationError("The older ciphers are \(names).") }
        return cipher
    }
}
