internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Ports of loopback for servers that must be told their port before they start.
///
/// A port that the system picks may be gone when the server starts: the system gives it to the next outgoing connection
/// of another test. These ports lie below the range from which Linux takes ports for outgoing connections (32,768 to
/// 60,999), and one process never takes the same port twice.
package enum ServerPort {
    private static let range = UInt16(20_000)..<32_000
    /// The number of ports that were tried. Test processes that run side by side begin at different ports.
    private static let tried = Mutex(Int(getpid()) * 97)

    /// A port on which nothing listens now.
    package static func take() throws -> UInt16 {
        for _ in range {
            let number = tried.withLock { tried in
                tried += 1
                return tried
            }
            let port = range.lowerBound + UInt16(number % range.count)
            if try ByteStream.isFree(port) { return port }
        }
        throw PeerFailure(what: "all ports from \(range.lowerBound) to \(range.upperBound - 1) are in use")
    }

    /// Waits until connections to a port are refused. A child process of another test may hold the socket of a server that has closed it,
    /// until it runs its program.
    package static func waitUntilClosed(_ port: UInt16) async throws {
        try await eventually("nothing listens on port \(port)") { (try? ByteStream(port: port)) == nil }
    }
}
