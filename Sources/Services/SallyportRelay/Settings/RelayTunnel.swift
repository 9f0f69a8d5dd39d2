public import Hostnames
public import ServiceSockets

/// An address whose connections lead to one fixed server, whatever they speak: a parent opens a tunnel for each.
public struct RelayTunnel: Sendable {
    /// Where clients connect, without TLS of the relay.
    public let listener: ListenAddress
    /// The server. The rules of ``RelaySettings/destinations`` do not refuse it, because the settings name it.
    public let host: Hostname
    /// Its port, 1 to 65535.
    public let port: UInt16

    /// A tunnel to one server.
    public init(_ listener: ListenAddress, to host: Hostname, port: UInt16) {
        (self.listener, self.host, self.port) = (listener, host, port)
    }

    /// Reads `5432=db.corp.example:5432`, where the relay listens on 127.0.0.1, or `ADDRESS:PORT=HOST:PORT`.
    public init(parsing text: String) throws(RelayTunnelError) {
        guard let equals = text.firstIndex(of: "=") else { throw .noEquals(text) }
        let (left, right) = (String(text[..<equals]), String(text[text.index(after: equals)...]))
        let listener: ListenAddress
        do { listener = try ListenAddress(abbreviated: left) } catch { throw .listener(error) }
        let server: Origin
        do throws(OriginError) {
            server = try Origin(scheme: .https, authority: right)
        } catch {
            throw .server(error)
        }
        guard server.port > 0, right.hasSuffix(":\(server.port)") else { throw .noPort(right) }
        self.init(listener, to: server.host, port: server.port)
    }

    /// The server as CONNECT names it.
    var authority: String { "\(host):\(port)" }
}

extension RelayTunnel: CustomStringConvertible {
    /// The text that ``init(parsing:)`` reads.
    public var description: String { "\(listener)=\(authority)" }
}

/// Why a text is not a tunnel.
public enum RelayTunnelError: Error, Equatable, Sendable {
    /// The text has no equals sign.
    case noEquals(String)
    /// The part before the sign is neither a port nor an address.
    case listener(ListenAddressError)
    /// The part after the sign is not a host and a port.
    case server(OriginError)
    /// The server has no port.
    case noPort(String)
}

extension RelayTunnelError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .noEquals(let text): "\(text.debugDescription): the server is missing: write PORT=HOST:PORT"
        case .listener(let error): "\(error)"
        case .server(let error): "\(error)"
        case .noPort(let text):
            "\(text.debugDescription): the server's port is missing: write it, such as db.corp.example:5432"
        }
    }
}
