internal import InsecureDigests

/// The names and the response key of an account in the form that messages need.
///
/// A class, because a copyable value cannot store a noncopyable key.
final class PreparedLogOn: Sendable {
    /// User and domain in UTF-16LE, as messages hold them.
    let userBytes: [UInt8]
    let domainBytes: [UInt8]
    let responseKey: NTOWFv2

    init(hash: NTHash, user: String, domain: String) {
        userBytes = UTF16Text.bytes(user)
        domainBytes = UTF16Text.bytes(domain)
        responseKey = NTOWFv2(hash: hash, user: user, domain: domain)
        assert(!userBytes.isEmpty && max(userBytes.count, domainBytes.count) <= 2 * NTLMLimits.nameUnits)
    }
}

extension PreparedLogOn: CustomReflectable {
    /// A mirror without children, so that a dump does not show the key.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
