internal import HTTP1
package import NIOCore
internal import NIOPosix

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Looks names up by the system's resolver, on NIO's threads for calls that block.
package enum AddressLookup {
    /// All addresses of a name, in the order in which the system would try them.
    package static func addresses(of host: String, port: UInt16) async throws -> [SocketAddress] {
        try await NIOThreadPool.singleton.runIfActive { try find(host, port, AF_UNSPEC) }
    }

    /// The same for one family. Blocks the calling thread.
    static func find(_ host: String, _ port: UInt16, _ family: Int32) throws(LookupError) -> [SocketAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = family
        unsafe hints.ai_socktype = streamType
        // What looks like an address is not looked up as a name.
        if host.contains(":") || host.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }) {
            unsafe hints.ai_flags = AI_NUMERICHOST
        }
        var first: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, "\(port)", &hints, &first)
        guard status == 0 else {
            // The system's text ends with a zero.
            throw LookupError(host: host, reason: unsafe String(cString: gai_strerror(status)))
        }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = unsafe first
        while let entry = unsafe next {
            if let address = unsafe Self.address(entry.pointee) { addresses.append(address) }
            unsafe next = entry.pointee.ai_next
        }
        return addresses
    }

    private static func address(_ entry: addrinfo) -> SocketAddress? {
        guard let bytes = unsafe entry.ai_addr else { return nil }
        // The system wrote an address of the family that the entry names.
        switch unsafe entry.ai_family {
        case AF_INET:
            return unsafe bytes.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe SocketAddress($0.pointee)
            }
        case AF_INET6:
            return unsafe bytes.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                unsafe SocketAddress($0.pointee)
            }
        default: return nil
        }
    }
}

/// A name has no address.
package struct LookupError: Error, CustomStringConvertible {
    let host: String
    package let reason: String

    package var description: String {
        "\(host): the name cannot be resolved (\(reason)): check the name and the resolver"
    }
}

#if canImport(Glibc)
    // An enumeration in glibc, a number everywhere else.
    private let streamType = Int32(SOCK_STREAM.rawValue)
#else
    private let streamType = SOCK_STREAM
#endif
