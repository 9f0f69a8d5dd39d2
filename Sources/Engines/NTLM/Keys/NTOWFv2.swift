package import InsecureDigests

/// The response key of NTLMv2 (`NTOWFv2`, MS-NLMP 3.3.2): what one user of one domain proves to know.
///
/// It serves as a key of HMAC-MD5 and as nothing else, so it is held in the form in which that needs it. `LMOWFv2` is the
/// same key.
package struct NTOWFv2: ~Copyable, Sendable {
    let key: HMACMD5.Key

    /// Derives the key.
    ///
    /// - Parameters:
    ///   - hash: the NT hash of the password.
    ///   - user: the account name as typed; upper-cased here, as the specification asks.
    ///   - domain: NetBIOS or DNS domain, used verbatim; empty for a local account or a `user@realm`.
    /// - Complexity: O(*n*) in the length of both names; six compressions of MD5 for short names.
    package init(hash: NTHash, user: String, domain: String) {
        key = Self.bytes(hash: hash, user: user, domain: domain).withBytes { HMACMD5.Key($0) }
    }

    /// Appends what the key is made over: the name in upper case, and the domain as it is.
    static func append(user: String, domain: String, to identity: inout [UInt8]) {
        WindowsUppercase.append(user, to: &identity)
        UTF16Text.append(domain, to: &identity)
    }

    /// The 16 bytes of the key themselves.
    package static func bytes(hash: NTHash, user: String, domain: String) -> Digest16 {
        var identity: [UInt8] = []
        identity.reserveCapacity(2 * (user.utf16.count + domain.utf16.count))
        append(user: user, domain: domain, to: &identity)
        return hash.withBytes { bytes in
            var code = HMACMD5(key: bytes)
            code.update(identity.span)
            return code.finalize()
        }
    }
}
