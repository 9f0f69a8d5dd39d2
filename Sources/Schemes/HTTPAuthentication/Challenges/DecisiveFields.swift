package import HTTPTypes

/// The fields of a response on which decisions about challenges depend. A host need not hand over others.
package enum DecisiveFields {
    /// Their names: in lower case, and ready, because a name that is made checks each of its bytes.
    package static let all: [(text: StaticString, name: HTTPField.Name)] = [
        ("connection", .connection), ("proxy-connection", proxyConnection), ("proxy-support", proxySupport),
        ("www-authenticate", .wwwAuthenticate), ("proxy-authenticate", .proxyAuthenticate),
        ("authentication-info", authenticationInfo), ("proxy-authentication-info", proxyAuthenticationInfo),
    ]

    static let proxyConnection = name("Proxy-Connection")
    private static let proxySupport = name("Proxy-Support")
    static let authenticationInfo = name("Authentication-Info")
    static let proxyAuthenticationInfo = name("Proxy-Authentication-Info")

    private static func name(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is a token") }
        return name
    }
}
