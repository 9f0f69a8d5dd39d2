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
/// 60,999).
///
/// The ports are in blocks. A block belongs to the process that holds its first port, from its first use to the end of the process, so test
/// processes that run side by side never take the same port. One process takes a port again only when it has taken all others.
package enum ServerPort {
    private static let range = UInt16(20_000)..<32_000
    private static let blockSize = 100
    private static let firsts = Array(stride(from: range.lowerBound, to: range.upperBound, by: blockSize))
    /// How many ports of a block are given out: all but the first.
    private static let usable = blockSize - 1

    private struct State {
        /// The first ports of the blocks of this process.
        var held: [UInt16] = []
        /// How many ports of these blocks were given out.
        var given = 0
    }

    private static let state = Mutex(State())

    /// A port on which nothing listens now.
    package static func take() throws -> UInt16 {
        try state.withLock { state in
            for _ in 0..<firsts.count * usable {
                if state.given == state.held.count * usable {
                    if let first = try claimBlock(besides: state.held) {
                        state.held.append(first)
                    } else {
                        state.given = 0
                    }
                }
                guard !state.held.isEmpty else { break }
                let port = state.held[state.given / usable] + 1 + UInt16(state.given % usable)
                state.given += 1
                if try ByteStream.isFree(port) { return port }
            }
            throw PeerFailure(what: "all ports from \(range.lowerBound) to \(range.upperBound - 1) are in use")
        }
    }

    /// Holds the first port of a block that no process has; `nil` if each has a process.
    private static func claimBlock(besides held: [UInt16]) throws -> UInt16? {
        // Processes begin at different blocks, so that few of them try the same one.
        for offset in firsts.indices {
            let first = firsts[(Int(getpid()) + offset) % firsts.count]
            // The descriptor stays open until the process ends, however that is.
            if !held.contains(first), try ByteStream.bound(to: first) != nil { return first }
        }
        return nil
    }

    /// Waits until connections to a port are refused. A child process of another test may hold the socket of a server that has closed it,
    /// until it runs its program.
    package static func waitUntilClosed(_ port: UInt16) async throws {
        try await eventually("nothing listens on port \(port)") { (try? ByteStream(port: port)) == nil }
    }
}
