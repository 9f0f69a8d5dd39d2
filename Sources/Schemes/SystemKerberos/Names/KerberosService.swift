internal import CGSSAPI

/// The service to which a client logs on, such as `HTTP/wiki.acme.example@ACME.EXAMPLE`.
///
/// The name is read once; make one value for a host and use it for many log-ons.
public final class KerberosService: Sendable {
    /// Where the host name and the realm come from.
    public enum Naming: Hashable, Sendable {
        /// The host as it is given. The realm is that of `domain_realm` in krb5.conf; else the KDC of the client's realm refers the
        /// client to it. DNS is not asked.
        case exact
        /// The host as it is given, in this realm.
        case realm(String)
        /// The library may replace the host by another name that DNS has for it (`dns_canonicalize_hostname` and `rdns` in
        /// krb5.conf). Who can forge answers of DNS then chooses the server.
        case library
    }

    /// The name for messages.
    public let text: String
    let name: ImportedName

    /// Names the service.
    ///
    /// With ``Naming/exact`` this reads krb5.conf. If `dns_lookup_realm` is on there, it may wait for DNS, so call it off an event loop.
    ///
    /// - Parameters:
    ///   - service: the class of the service; `HTTP` for servers and proxies of HTTP (RFC 4559, 4.1).
    ///   - host: a host name without port; capital letters are made small.
    ///   - naming: how the host's realm is found.
    ///   - library: the library of the system.
    /// - Throws: ``KerberosError`` with the reason `badName` for other characters than letters, digits, `-`, `_`, `.` and `:`, and
    ///   with `unsupported` if the library cannot look up realms and none is given.
    public init(
        _ service: String = "HTTP",
        host: String,
        naming: Naming = .exact,
        library: KerberosLibrary
    ) throws(KerberosError) {
        // Before the letters are made small: the small form of U+212A, the Kelvin sign, is an ASCII k.
        guard !host.isEmpty, !service.isEmpty, host.utf8.count <= KerberosLimits.nameBytes,
            (service + host).utf8.allSatisfy(Self.isAllowed)
        else { throw KerberosError(.importName, .badName, about: "\(service)/\(host)") }
        let host = host.lowercased()
        switch naming {
        case .library:
            text = "\(service)@\(host)"
            name = try ImportedName(service: text, library)
        case .realm(let realm):
            guard !realm.isEmpty, realm.utf8.allSatisfy(Self.isAllowed) else {
                throw KerberosError(.importName, .badName, about: "\(service)/\(host)@\(realm)")
            }
            text = "\(service)/\(host)@\(realm)"
            name = try ImportedName(principal: text, library)
        case .exact:
            // An empty realm means the client's own, whose KDC refers the client to another one where needed.
            let realm = try library.realm(of: host)
            text = "\(service)/\(host)" + (realm.isEmpty ? "" : "@\(realm)")
            name = try ImportedName(principal: "\(service)/\(host)@\(realm)", library)
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }
}

extension KerberosLibrary {
    /// The realm that krb5.conf names for a host; empty if it names none.
    func realm(of host: String) throws(KerberosError) -> String {
        guard knowsRealmsOfHosts else { throw KerberosError(.importName, .unsupported, about: "the realm of \(host)") }
        var context: UnsafeMutableRawPointer?
        guard unsafe functions.make_krb5(&context) == 0 else {
            throw KerberosError(.importName, .configuration, about: host)
        }
        defer { unsafe functions.free_krb5(context) }
        var realms: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let code = unsafe functions.host_realms(context, host, &realms)
        guard code == 0 else {
            throw KerberosError(
                .importName,
                KerberosNumber.reason(of: UInt32(bitPattern: code), .importName) ?? .unknownRealm,
                about: host,
                minor: UInt32(bitPattern: code)
            )
        }
        defer { _ = unsafe functions.free_realms(context, realms) }
        // The list ends with nil; the first realm is the best one.
        guard let realms = unsafe realms, let first = unsafe realms[0] else { return "" }
        return unsafe String(cString: first)
    }
}
