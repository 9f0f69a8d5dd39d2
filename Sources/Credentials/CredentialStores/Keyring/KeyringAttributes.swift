internal import CSecretService
internal import Hostnames
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// An attribute of an item: a name and a text without a zero.
struct KeyringPair: Equatable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    /// Calls `body` with the pairs as C takes them; it must not keep them.
    @unsafe
    static func withPairs<Result>(_ pairs: [KeyringPair], _ body: (UnsafePointer<sallyport_secret_pair>?) -> Result)
        -> Result
    {
        // Copies that are freed below.
        let copies = unsafe pairs.map { unsafe sallyport_secret_pair(name: strdup($0.name), value: strdup($0.value)) }
        defer {
            unsafe copies.forEach { pair in
                unsafe free(UnsafeMutablePointer(mutating: pair.name))
                unsafe free(UnsafeMutablePointer(mutating: pair.value))
            }
        }
        return unsafe copies.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
}

/// The name of a record as attributes of an item.
///
/// ```
/// xdg:schema  org.sallyport.Credential
/// party       server or proxy
/// scheme      http or https         host  as the URL has it        port  in decimal digits
/// reach       realm, origin, host or path
/// realm, path, user, domain         the texts; % alone stands for none
/// kind        password, token …
/// ```
///
/// Every item has all of them, because a service takes an item that has more attributes than it looks for. `%` in a text is `%25`, and a
/// zero, with which C ends a text, is `%00`. None of them is secret: a service keeps attributes in clear, or as a digest without a key.
enum KeyringAttributes {
    /// What all our items have.
    static let all = [KeyringPair("xdg:schema", KeyringProblem.schema)]
    private static let none = "%"

    /// What the items of a host have, for one scheme and party.
    static func pairs(of place: CredentialSpace.Place) -> [KeyringPair] {
        all + [
            KeyringPair("party", text(of: place.party)), KeyringPair("scheme", place.scheme.rawValue),
            KeyringPair("host", "\(place.host)"),
        ]
    }

    /// What the one item of a record has.
    static func pairs(of name: CredentialName) -> [KeyringPair] {
        let space = name.space
        return pairs(of: space.place) + [
            KeyringPair("port", "\(space.origin.port)"), KeyringPair("reach", text(of: space.reach)),
            KeyringPair("realm", escaped(space.realm)), KeyringPair("path", escaped(space.path)),
            KeyringPair("user", escaped(name.user)), KeyringPair("domain", escaped(name.domain)),
            KeyringPair("kind", name.kind.rawValue),
        ]
    }

    /// The name of the record whose item has these attributes; `nil` if they are not those of ``pairs(of:)``.
    static func name(_ attribute: (String) -> String?) -> CredentialName? {
        guard let party = CredentialSpace.Party.allCases.first(where: { text(of: $0) == attribute("party") }),
            let reach = CredentialSpace.Reach.allCases.first(where: { text(of: $0) == attribute("reach") }),
            let scheme = attribute("scheme").flatMap(Scheme.init(rawValue:)),
            let host = attribute("host").flatMap({ try? Hostname(parsing: $0) }),
            let port = attribute("port").flatMap({ UInt16($0) }),
            let realm = unescaped(attribute("realm")), let path = unescaped(attribute("path")),
            let user = unescaped(attribute("user")), let domain = unescaped(attribute("domain")),
            let kind = attribute("kind"), let user
        else { return nil }
        let origin = Origin(scheme: scheme, host: host, port: port)
        let space: CredentialSpace =
            switch reach {
            case .realm: .realm(realm, of: origin, party: party)
            case .origin: .origin(origin, party: party)
            case .host: .host(host, scheme: scheme, party: party)
            case .path: .path(path ?? "", of: origin, party: party)
            }
        let name = CredentialName(space: space, user: user, domain: domain, kind: CredentialKind(rawValue: kind))
        // What a space drops, such as the realm of a whole origin, is in no item that this store writes.
        guard name.problem == nil, pairs(of: name).allSatisfy({ isSame($0.value, attribute($0.name)) }) else {
            return nil
        }
        return name
    }

    /// What a person sees in a list of the keyring.
    static func label(of name: CredentialName) -> String {
        let account = name.domain.map { "\($0)\\\(name.user)" } ?? name.user
        let user = account.isEmpty ? "" : " of \(VisibleText.name(account))"
        return "Sallyport: \(name.kind.rawValue)\(user) for \(name.space.origin)"
    }

    private static func text(of party: CredentialSpace.Party) -> String {
        switch party {
        case .origin: "server"
        case .proxy: "proxy"
        }
    }

    private static func text(of reach: CredentialSpace.Reach) -> String {
        switch reach {
        case .realm: "realm"
        case .origin: "origin"
        case .host: "host"
        case .path: "path"
        }
    }

    private static func escaped(_ text: String?) -> String {
        guard let text else { return none }
        return text.replacing("%", with: "%25").replacing("\0", with: "%00")
    }

    /// `nil` for an attribute that is absent, `.some(nil)` for a text that is.
    private static func unescaped(_ text: String?) -> String?? {
        guard let text else { return nil }
        return text == none ? .some(nil) : text.replacing("%00", with: "\0").replacing("%25", with: "%")
    }
}
