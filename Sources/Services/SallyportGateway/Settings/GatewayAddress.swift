internal import Hostnames
public import ServiceSockets

/// Where a gateway listens for its proxy: at a socket of this machine, which only programs of this machine reach.
public enum GatewayAddress: Hashable, Sendable {
    /// A Unix socket, at an absolute path.
    case socket(path: String)
    /// An address of loopback, which every user of this machine reaches.
    case loopback(ListenAddress)

    /// The longest path in bytes, so that every system takes it with the ending that it has before it listens.
    static let longestPath = 99
    private static let beginning = "unix:"

    /// Reads `unix:/run/sallyport/gateway.sock` or `127.0.0.1:9191`.
    ///
    /// - Throws: ``GatewayAddressError``.
    public init(parsing text: String) throws(GatewayAddressError) {
        guard !text.hasPrefix(Self.beginning) else {
            let path = String(text.dropFirst(Self.beginning.count))
            guard path.hasPrefix("/") else { throw .relativePath(path) }
            // They would end the line of a proxy's configuration.
            guard
                path.unicodeScalars.allSatisfy({
                    $0.value > 0x20 && $0.value < 0x7F && !"\"';{}$#\\:".unicodeScalars.contains($0)
                })
            else { throw .path(path) }
            guard path.utf8.count <= Self.longestPath else { throw .longPath(path) }
            self = .socket(path: path)
            return
        }
        let address: ListenAddress
        do throws(ListenAddressError) { address = try ListenAddress(parsing: text) } catch { throw .address(error) }
        guard address.isLoopback, !address.isSecure else { throw .notLoopback(text) }
        self = .loopback(address)
    }
}

extension GatewayAddress: CustomStringConvertible {
    /// The text that ``init(parsing:)`` reads.
    public var description: String {
        switch self {
        case .socket(let path): Self.beginning + path
        case .loopback(let address): "\(address)"
        }
    }
}

/// Why a gateway cannot listen at what a text names.
public enum GatewayAddressError: Error, Equatable, Sendable {
    /// The text is not an address.
    case address(ListenAddressError)
    /// Programs of other machines could reach it and say who they are.
    case notLoopback(String)
    /// The path has a character that ends a word in a proxy's configuration.
    case path(String)
    /// The path does not begin with `/`.
    case relativePath(String)
    /// The path is too long for the system.
    case longPath(String)
}

extension GatewayAddressError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .address(let error): "\(error), or unix:/PATH"
        case .notLoopback(let text):
            "\(text.debugDescription): whoever reaches the gateway says who a client is: write unix:/PATH or an address of loopback without https://"
        case .path(let path):
            "\(path.debugDescription): a blank, a quote or another character that means something in a proxy's configuration: choose another path"
        case .relativePath(let path): "\(path.debugDescription): not an absolute path: write unix:/PATH"
        case .longPath(let path):
            "\(path.debugDescription): more than \(GatewayAddress.longestPath) bytes, which not every system takes: choose a shorter path"
        }
    }
}
