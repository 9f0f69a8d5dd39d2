/// The attributes of a record in one text, because an item of Apple's Keychain has no attributes of a program's own.
///
/// ```
/// party=server&scheme=https&host=wiki.example&port=443&reach=origin&realm=%&path=%&user=jdoe&domain=ACME&kind=password
/// ```
///
/// They are those of ``KeyringAttributes`` without the schema, always in this order, with `&` in a value as `%26`. The text is the account
/// (`kSecAttrAccount`) of a generic password, and the schema its service (`kSecAttrService`). Both together name one item.
enum KeychainAccount {
    /// The text of an item with all attributes of a record.
    static func text(of pairs: [KeyringPair]) -> String {
        named(pairs).map { "\($0.name)=\(escaped($0.value))" }.joined(separator: "&")
    }

    /// Whether the item with this text has all of these attributes.
    static func matches(_ text: String, _ pairs: [KeyringPair]) -> Bool {
        named(pairs).allSatisfy { isSame($0.value, attribute($0.name, in: text)) }
    }

    /// The name of the record whose item has this text; `nil` if it is not the text of a record.
    static func name(_ text: String) -> CredentialName? {
        let name = KeyringAttributes.name { wanted in
            // The service has those of every item.
            KeyringAttributes.all.first { $0.name == wanted }?.value ?? attribute(wanted, in: text)
        }
        // Another order, or a name that stands there twice, would be a second item of one record.
        return name.flatMap { isSame(Self.text(of: KeyringAttributes.pairs(of: $0)), text) ? $0 : nil }
    }

    /// The attributes beside those of every item, which the service has.
    private static func named(_ pairs: [KeyringPair]) -> [KeyringPair] {
        pairs.filter { !KeyringAttributes.all.contains($0) }
    }

    // Byte by byte, because an accent after one of these signs makes another letter of it.

    private static func attribute(_ name: String, in text: String) -> String? {
        let start = "\(name)=".utf8
        let part = text.utf8.split(separator: and, omittingEmptySubsequences: false).first { $0.starts(with: start) }
        return part.map { unescaped($0.dropFirst(start.count)) }
    }

    private static func escaped(_ value: String) -> String {
        value.utf8.split(separator: and, omittingEmptySubsequences: false).map { String(Substring($0)) }
            .joined(separator: "%26")
    }

    private static func unescaped(_ value: Substring.UTF8View) -> String {
        let parts = value.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: String(Substring(parts[0]))) { text, part in
            let isAnd = part.starts(with: "26".utf8)
            text += (isAnd ? "&" : "%") + String(Substring(part.dropFirst(isAnd ? 2 : 0)))
        }
    }

    private static let and = UInt8(ascii: "&")
}

extension KeyringProblem {
    /// The problem of a call of the Keychain.
    ///
    /// - Parameters:
    ///   - status: its result, of Apple's `SecBase.h`; not 0.
    ///   - operation: what was tried.
    ///   - text: what the system says about the status, in the language of the user.
    init(keychainStatus status: Int32, _ operation: String, text: String) {
        switch status {
        case -25_308, -25_315: self = .locked  // errSecInteractionNotAllowed, errSecInteractionRequired
        case -128: self = .dismissed  // errSecUserCanceled
        default: self = .refused(operation: operation, reason: "\(text) (\(status))")
        }
    }
}
