internal import InsecureDigests

/// What every AUTHENTICATE of one account says and is proven with, in the form in which it is needed; shared, since a
/// noncopyable key cannot stand in a copyable value.
final class PreparedIdentity: Sendable {
    /// User and domain in UTF-16LE, as they stand in messages.
    let userBytes: [UInt8]
    let domainBytes: [UInt8]
    let responseKey: NTOWFv2

    init(hash: NTHash, user: String, domain: String) {
        userBytes = UTF16Text.bytes(user)
        domainBytes = UTF16Text.bytes(domain)
        responseKey = NTOWFv2(hash: hash, user: user, domain: domain)
    }
}

extension PreparedIdentity: CustomReflectable {
    /// No children, so that nothing shows the key.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
