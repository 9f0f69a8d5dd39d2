internal import Foundation
internal import TestLimits

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// What went wrong between a test and its peer.
package struct PeerFailure: Error, CustomStringConvertible {
    package let what: String

    package init(what: String) { self.what = what }

    package var description: String { what }
}

/// One end of a connection, which waits for its peer as long as a test waits for an event (``Patience``).
package final class ByteStream {
    private let descriptor: Int32
    private var received: [UInt8] = []
    private static let patienceMilliseconds = Int32(Patience.limit / .milliseconds(1))

    /// Takes over a connected socket.
    package init(owning descriptor: Int32) {
        self.descriptor = descriptor
        #if canImport(Darwin)
            var isOn: Int32 = 1
            // The kernel copies the value. Here a flag of the socket, elsewhere one of each call.
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Connects to a port of this machine.
    package convenience init(port: UInt16) throws { try self.init(to: "127.0.0.1", port: port) }

    /// Connects to an IPv4 or IPv6 address.
    package convenience init(to address: String, port: UInt16) throws {
        var (four, six) = (Self.loopback(port: port), sockaddr_in6())
        let status: Int32
        if address.contains(":") {
            self.init(owning: try Self.makeSocket(AF_INET6))
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            guard unsafe inet_pton(AF_INET6, address, &six.sin6_addr) == 1 else {
                throw PeerFailure(what: "\(address) is no address")
            }
            status = Self.connect(descriptor, &six)
        } else {
            self.init(owning: try Self.makeSocket())
            guard unsafe inet_pton(AF_INET, address, &four.sin_addr) == 1 else {
                throw PeerFailure(what: "\(address) is no address")
            }
            status = Self.connect(descriptor, &four)
        }
        guard status == 0 else { throw PeerFailure(what: "connect to \(address), port \(port)") }
    }

    private static func connect<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
        // The kernel reads the address during the call.
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe systemConnect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    deinit { close(descriptor) }

    /// Says that nothing more will be sent.
    package func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    package func send(_ bytes: [UInt8]) throws {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            // A peer that is gone is an error, not the end of all tests.
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        var rest = bytes[...]
        while !rest.isEmpty {
            // In bounds: the slice's own pointer and count.
            let count = unsafe rest.withUnsafeBytes { unsafe systemSend(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { throw PeerFailure(what: "the peer does not listen any more") }
            rest = rest.dropFirst(count)
        }
    }

    /// The bytes in front of `end`, which is taken away as well.
    package func read(upTo end: [UInt8]) throws -> [UInt8] {
        while true {
            if received.count >= end.count,
                let start = (0...(received.count - end.count)).first(where: {
                    received[$0..<$0 + end.count].elementsEqual(end)
                })
            {
                defer { received.removeFirst(start + end.count) }
                return Array(received[..<start])
            }
            try receive()
        }
    }

    package func read(count: Int) throws -> [UInt8] {
        while received.count < count { try receive() }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    /// One line without its end.
    package func readLine() throws -> String { String(decoding: try read(upTo: [UInt8(ascii: "\n")]), as: UTF8.self) }

    private func receive() throws {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // One structure, and the number 1 says so.
        guard unsafe poll(&event, 1, Self.patienceMilliseconds) > 0 else {
            throw PeerFailure(what: "the peer said nothing for \(Self.patienceMilliseconds / 1_000) s")
        }
        var chunk = [UInt8](repeating: 0, count: 16_384)
        // In bounds: the array's own pointer and count.
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { throw PeerFailure(what: "the peer closed the connection") }
        received += chunk.prefix(count)
    }

    // MARK: Sockets

    /// Whether a server can listen on a port of loopback now.
    ///
    /// A process that another test starts may hold a copy of this socket until it runs its program. The socket shares its port, so that the copy
    /// keeps no server from listening.
    static func isFree(_ port: UInt16) throws -> Bool {
        guard let descriptor = try bound(to: port, sharing: true) else { return false }
        close(descriptor)
        return true
    }

    /// A socket that has a port of loopback and does not listen; `nil` if another one has the port.
    ///
    /// - Parameter sharing: Whether others that share, as servers do, may have the port as well, and one of them listen.
    package static func bound(to port: UInt16, sharing: Bool = false) throws -> Int32? {
        let descriptor = try makeSocket()
        var shares = Int32(sharing ? 1 : 0)
        // The kernel reads one number during the call.
        _ = unsafe setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_REUSEADDR,
            &shares,
            socklen_t(MemoryLayout<Int32>.size)
        )
        var address = loopback(port: port)
        // The kernel reads the address during the call.
        let isBound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isBound { return descriptor }
        close(descriptor)
        return nil
    }

    /// Two ends of one connection; neither is inherited by other processes.
    package static func pair() throws -> (ours: Int32, theirs: Int32) {
        var ends: [Int32] = [-1, -1]
        // The kernel writes two numbers.
        guard unsafe socketpair(AF_UNIX, streamType, 0, &ends) == 0 else { throw PeerFailure(what: "socketpair") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func makeSocket(_ family: Int32 = AF_INET) throws -> Int32 {
        let descriptor = socket(family, streamType, 0)
        guard descriptor >= 0 else { throw PeerFailure(what: "socket") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

#if canImport(Glibc)
    // Enumerations in glibc, numbers everywhere else. Close-on-exec from the start: other tests start processes.
    private let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
#elseif canImport(Musl)
    private let streamType = SOCK_STREAM | SOCK_CLOEXEC
#else
    private let streamType = SOCK_STREAM
#endif

/// The system's `send`, which the method of that name hides.
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    // The caller's pointer and count belong together.
    unsafe send(descriptor, bytes, count, flags)
}

/// The system's `connect`, which the method of that name hides.
private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    // The caller's pointer and length belong together.
    unsafe connect(descriptor, address, length)
}
