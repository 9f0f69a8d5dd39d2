package import InsecureDigests

/// The response key of NTLMv2 (`NTOWFv2`, MS-NLMP 3.3.2), made from NT hash, user and domain. `LMOWFv2` is the same
/// key.
///
/// NTLMv2 uses it only as an HMAC-MD5 key, so it is stored as prepared HMAC state.
package struct NTOWFv2: ~Copyable, Sendable {
    let key: HMACMD5.Key

    /// Derives the key.
    ///
    /// - Parameters:
    ///   - hash: the NT hash of the password.
    ///   - user: the account name as typed; upper-cased here, as the specification requires.
    ///   - domain: NetBIOS or DNS domain, used verbatim; empty for a local account or a `user@realm`.
    /// - Complexity: O(*n*) in the length of both names; six compressions of MD5 for short names.
    package init(hash: NTHash, user: String, domain: String) {
        key = Self.bytes(hash: hash, user: user, domain: domain).withBytes { HMACMD5.Key($0) }
    }

    /// Appends the input of the HMAC in UTF-16LE: the user name in upper case, then the domain unchanged.
    static func append(user: String, domain: String, to identity: inout [UInt8]) {
        WindowsUppercase.append(user, to: &identity)
        UTF16Text.append(domain, to: &identity)
    }

    /// The 16 bytes of the key.
    package static func bytes(hash: NTHash, user: String, domain: String) -> Digest16 {
        var identity: [UInt8] = []
        identity.reserveCapacity(2 * (user.utf16.count + domain.utf16.count))
        append(user: user, domain: domain, to: &identity)
        assert(
            identity.count == 2 * (user.utf16.count + domain.utf16.count),
            "upper-casing maps each unit to one unit"
        )
        return hash.withBytes { bytes in
            var code = HMACMD5(key: bytes)
            code.update(identity.span)
            return code.finalize()
        }
    }
}
