package import NIOCore

extension SocketAddress {
    /// What wrong passwords are counted by: an IPv4 address, or the first 64 bits of an IPv6 address, because a host has all of
    /// them. `nil` for other addresses.
    package var guessKey: String? {
        switch self {
        case .v4: ipAddress
        case .v6: Self.guessKey(of: bytesOfIPv6)
        case .unixDomainSocket: nil
        }
    }

    private static func guessKey(of bytes: [UInt8]) -> String {
        // RFC 4291 section 2.5.5.2: ::ffff:192.0.2.1
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return bytes.suffix(4).map { "\($0)" }.joined(separator: ".")
        }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// The 16 bytes of the address.
    private var bytesOfIPv6: [UInt8] {
        // RFC 3493 section 3.3: port and flow information take the eight bytes before it.
        // In bounds: the structure of an IPv6 address has 28 bytes.
        unsafe withSockAddr { address, _ in
            unsafe [UInt8](UnsafeRawBufferPointer(start: UnsafeRawPointer(address) + 8, count: 16))
        }
    }
}
