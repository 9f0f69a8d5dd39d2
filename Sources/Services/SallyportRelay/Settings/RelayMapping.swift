public import Hostnames
public import ServiceSockets

/// An address on which the relay stands for one server: clients use it in place of the server, and need no proxy.
public struct RelayMapping: Sendable {
    /// Where clients connect.
    public let listener: ListenAddress
    /// The server that gets their requests.
    public let origin: Origin
    /// The names by which clients may call the listener, beside its address, `localhost` on loopback, and the name of the server.
    /// Requests with another Host are refused, because a web page could lead its own name to the listener.
    public var names: [Hostname] = []

    /// A mapping of one address.
    public init(_ listener: ListenAddress, to origin: Origin) { (self.listener, self.origin) = (listener, origin) }

    /// Reads `127.0.0.1:8443=https://wiki.corp.example`. The address may have `https://` before it, as `ListenAddress` reads it.
    public init(parsing text: String) throws(RelayMappingError) {
        guard let equals = text.firstIndex(of: "=") else { throw .noEquals(text) }
        let (left, right) = (String(text[..<equals]), String(text[text.index(after: equals)...]))
        let listener: ListenAddress
        do { listener = try ListenAddress(parsing: left) } catch { throw .listener(error) }
        do throws(OriginError) {
            self.init(listener, to: try Origin(parsing: right))
        } catch {
            throw .origin(error)
        }
    }
}

/// Why a text is not a mapping.
public enum RelayMappingError: Error, Equatable, Sendable {
    /// The text has no equals sign.
    case noEquals(String)
    /// The part before the sign is not an address.
    case listener(ListenAddressError)
    /// The part after the sign is not a server.
    case origin(OriginError)
}

extension RelayMappingError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .noEquals(let text):
            "\(text.debugDescription): the server is missing: write ADDRESS:PORT=https://SERVER"
        case .listener(let error): "\(error)"
        case .origin(let error): "\(error)"
        }
    }
}
