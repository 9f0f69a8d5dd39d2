internal import Hostnames
internal import WireFormat

extension CredentialName {
    /// Reads the bytes of ``encoded``.
    ///
    /// - Returns: `nil` if they are not the bytes of a name, or if a part exceeds its bound.
    init?(decoding bytes: Span<UInt8>) {
        var place = 4
        /// The text at `place`: `.some(nil)` for an absent one, `nil` for one that does not fit or is not UTF-8.
        func nextText() -> String?? {
            guard let length = littleEndianUInt16(in: bytes, at: place) else { return nil }
            place += 2
            guard length != Self.lengthOfNil else { return .some(nil) }
            guard Int(length) <= bytes.count - place else { return nil }
            defer { place += Int(length) }
            return String(validating: [UInt8](copying: bytes.extracting(place..<place + Int(length))), as: UTF8.self)
                .map(Optional.some)
        }
        guard bytes.count >= 4, let party = CredentialSpace.Party(rawValue: bytes[0]),
            let reach = CredentialSpace.Reach(rawValue: bytes[1]),
            let port = littleEndianUInt16(in: bytes, at: 2),
            let scheme = nextText()?.flatMap(Scheme.init(rawValue:)),
            let host = nextText()?.flatMap({ try? Hostname(parsing: $0) }),
            let realm = nextText(), case let user?? = nextText(), let domain = nextText(),
            case let kind?? = nextText()
        else { return nil }
        var path: String?
        if reach == .path {
            guard case let text?? = nextText() else { return nil }
            path = text
        }
        guard place == bytes.count else { return nil }
        let origin = Origin(scheme: scheme, host: host, port: port)
        let space: CredentialSpace =
            switch reach {
            case .realm: .realm(realm, of: origin, party: party)
            case .origin: .origin(origin, party: party)
            case .host: .host(host, scheme: scheme, party: party)
            case .path: .path(path ?? "", of: origin, party: party)
            }
        self.init(space: space, user: user, domain: domain, kind: CredentialKind(rawValue: kind))
        // What a space drops, such as the port of a whole host, is not in its bytes either.
        guard problem == nil, encoded.elementsEqual([UInt8](copying: bytes)) else { return nil }
    }
}
