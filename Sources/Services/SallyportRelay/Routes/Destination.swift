internal import Hostnames

/// The server of a request, kept from request to request because clients often ask the same one.
final class Destination {
    /// As the client writes it.
    private let authority: [UInt8]
    private let isTunnel: Bool
    let origin: Origin
    /// The beginning of the target for a parent: the origin, or all of a CONNECT's. The handler of challenges writes it in the same form.
    let targetText: String
    /// The end of the request line, and the Host field.
    let hostLine: [UInt8]
    /// Whether no parent is asked.
    let isDirect: Bool
    /// Whether the relay does not serve it.
    let isForbidden: Bool
    /// Whether the relay itself speaks TLS to the server, and the client does not speak to it through a tunnel.
    let isSecured: Bool
    /// Whether a listener stands for the server, so that the settings name it.
    let isMapped: Bool
    /// The last pool that has noted the server as open.
    var openNote: OpenNote?

    /// Says that a pool knows the server as open, which spares the look-up for each request.
    struct OpenNote: Equatable {
        let pool: ObjectIdentifier
        let era: Int
    }

    init(
        _ authority: Range<Int>,
        isTunnel: Bool,
        in bytes: Span<UInt8>,
        _ rules: DestinationRules
    ) throws(TargetDefect) {
        self.authority = authority.map { bytes[$0] }
        self.isTunnel = isTunnel
        do throws(OriginError) {
            let text = String(decoding: self.authority, as: UTF8.self)
            origin = try Origin(scheme: isTunnel ? .https : .http, authority: text)
        } catch {
            switch error {
            case .userinfo: throw .user
            case .host(let problem): throw .host(problem)
            case .invalidPort: throw .port
            case .missingScheme, .unsupportedScheme, .unexpectedPath: throw .form
            }
        }
        isForbidden = rules.forbids(origin)
        (isSecured, isMapped) = (false, false)
        isDirect = rules.isDirect(origin)
        let port = ":\(origin.port)"
        targetText = isTunnel ? "\(origin.host)\(port)" : "\(origin)"
        let host = isTunnel || origin.port != origin.scheme.defaultPort ? "\(origin.host)\(port)" : "\(origin.host)"
        hostLine = Self.hostLine(host)
    }

    private static func hostLine(_ host: String) -> [UInt8] { Array(" HTTP/1.1\r\nHost: \(host)\r\n".utf8) }

    /// The server of a listener, which the settings name, so no rule refuses it.
    ///
    /// - Parameter isDirect: whether no parent is asked.
    init(mappedTo origin: Origin, isDirect: Bool) {
        (authority, isTunnel, isForbidden, isMapped) = ([], false, false, true)
        self.origin = origin
        self.isDirect = isDirect
        isSecured = origin.scheme == .https
        targetText = "\(origin)"
        let host = origin.port == origin.scheme.defaultPort ? "\(origin.host)" : "\(origin.host):\(origin.port)"
        hostLine = Self.hostLine(host)
    }

    /// The server of a fixed tunnel, which the settings name, so no rule refuses it. TLS, if there is any, is the client's.
    init(of tunnel: RelayTunnel, _ rules: DestinationRules) {
        (isTunnel, isForbidden, isMapped, isSecured) = (true, false, true, false)
        origin = Origin(scheme: .https, host: tunnel.host, port: tunnel.port)
        targetText = tunnel.authority
        authority = Array(targetText.utf8)
        isDirect = rules.isDirect(origin)
        hostLine = Self.hostLine(targetText)
    }

    func isAt(_ authority: Range<Int>, isTunnel: Bool, in bytes: Span<UInt8>) -> Bool {
        guard isTunnel == self.isTunnel, authority.count == self.authority.count else { return false }
        for (offset, byte) in self.authority.enumerated() where bytes[authority.lowerBound + offset] != byte {
            return false
        }
        return true
    }
}
