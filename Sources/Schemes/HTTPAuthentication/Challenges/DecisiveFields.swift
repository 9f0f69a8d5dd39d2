package import HTTPTypes

/// The fields of a response on which decisions about challenges depend. A host need not hand over others.
package enum DecisiveFields {
    /// Their names: in lower case, and ready, because a name that is made checks each of its bytes.
    package static let all: [(text: StaticString, name: HTTPField.Name)] = [
        ("connection", .connection), ("proxy-connection", proxyConnection), ("proxy-support", proxySupport),
        ("www-authenticate", .wwwAuthenticate), ("proxy-authenticate", .proxyAuthenticate),
        ("authentication-info", authenticationInfo), ("proxy-authentication-info", proxyAuthenticationInfo),
        ("dpop-nonce", .proofNonce),
    ]

    /// The lengths of the names, as bits: few other fields have one of them.
    private static let lengths = all.reduce(UInt64(0)) { $0 | 1 << UInt64($1.text.utf8CodeUnitCount) }

    /// Whether a name of this length may be one of them.
    package static func mayHave(nameOf length: Int) -> Bool { length < 64 && lengths >> UInt64(length) & 1 == 1 }

    static let proxyConnection = HTTPField.Name.known("Proxy-Connection")
    private static let proxySupport = HTTPField.Name.known("Proxy-Support")
    static let authenticationInfo = HTTPField.Name.known("Authentication-Info")
    static let proxyAuthenticationInfo = HTTPField.Name.known("Proxy-Authentication-Info")
}
