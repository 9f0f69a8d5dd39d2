package import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Finds the user whose program has the other end of a connection on this machine.
///
/// On Linux the kernel is asked for exactly this socket (sock_diag(7)), which takes some microseconds and never waits.
package enum SocketOwner {
    #if os(Linux)
        // linux/netlink.h, linux/sock_diag.h and linux/inet_diag.h.
        private static let netlink: Int32 = 16
        private static let socketDiagnosis: Int32 = 4
        private static let byFamily: UInt16 = 20
        private static let isRequest: UInt16 = 1
        private static let headerBytes = 16
        /// `inet_diag_req_v2`: 8 bytes, then `inet_diag_sockid` of 48 bytes.
        private static let requestBytes = 56
        /// `inet_diag_msg`: 4 bytes, `inet_diag_sockid`, then expires, rqueue, wqueue, uid and inode of 4 bytes each.
        private static let ownerPlace = headerBytes + 4 + 48 + 12

        /// The user; `nil` if the system does not say, or the socket is no longer a program's.
        ///
        /// - Parameters:
        ///   - peer: the client's end.
        ///   - local: our end.
        package static func find(peer: SocketAddress, local: SocketAddress) -> UInt32? {
            guard let request = request(peer, local) else { return nil }
            let descriptor = socket(netlink, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), socketDiagnosis)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            // The kernel reads the bytes during the call, and has answered when it returns.
            let sent = unsafe request.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, 0) }
            guard sent == request.count else { return nil }
            var reply = [UInt8](repeating: 0, count: 1024)
            // The kernel writes no more than the size that it is told.
            let count = unsafe reply.withUnsafeMutableBytes {
                unsafe recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
            }
            guard count >= ownerPlace + 8, read(UInt16.self, reply, at: 4) == byFamily else { return nil }
            // A socket that its program has closed has no inode, and seems to be root's.
            guard read(UInt32.self, reply, at: ownerPlace + 4) != 0 else { return nil }
            return read(UInt32.self, reply, at: ownerPlace)
        }

        private static func request(_ peer: SocketAddress, _ local: SocketAddress) -> [UInt8]? {
            guard let theirs = bytes(of: peer), let ours = bytes(of: local), theirs.family == ours.family else {
                return nil
            }
            var request: [UInt8] = []
            func append<Value: FixedWidthInteger>(_ value: Value) {
                for shift in stride(from: 0, to: Value.bitWidth, by: 8) {
                    // Netlink has the order of the machine; Linux with the other order is not supported here.
                    request.append(UInt8(truncatingIfNeeded: value >> Value(shift)))
                }
            }
            append(UInt32(headerBytes + requestBytes))
            append(byFamily)
            append(isRequest)
            append(UInt32(1))
            append(UInt32(0))
            request += [theirs.family, UInt8(IPPROTO_TCP), 0, 0]
            append(UInt32.max)
            request += theirs.port + ours.port + theirs.address + ours.address
            append(UInt32(0))
            // No cookie: any socket with these addresses.
            append(UInt64.max)
            return request
        }

        private struct End {
            let family: UInt8
            /// In network order.
            let port: [UInt8]
            /// 16 bytes; an IPv4 address is in the first four.
            let address: [UInt8]
        }

        private static func bytes(of address: SocketAddress) -> End? {
            guard let port = address.port else { return nil }
            let portBytes = [UInt8(truncatingIfNeeded: port >> 8), UInt8(truncatingIfNeeded: port)]
            // RFC 3493: in both structures family and port take four bytes; flow information follows in the second.
            // In bounds: the structures have 16 and 28 bytes.
            switch address {
            case .v4:
                let host = unsafe address.withSockAddr { start, _ in
                    unsafe [UInt8](UnsafeRawBufferPointer(start: UnsafeRawPointer(start) + 4, count: 4))
                }
                return End(
                    family: UInt8(AF_INET),
                    port: portBytes,
                    address: host + [UInt8](repeating: 0, count: 12)
                )
            case .v6:
                let host = unsafe address.withSockAddr { start, _ in
                    unsafe [UInt8](UnsafeRawBufferPointer(start: UnsafeRawPointer(start) + 8, count: 16))
                }
                return End(family: UInt8(AF_INET6), port: portBytes, address: host)
            case .unixDomainSocket: return nil
            }
        }

        private static func read<Value: FixedWidthInteger>(_: Value.Type, _ bytes: [UInt8], at place: Int) -> Value {
            var value: Value = 0
            for index in (0..<Value.bitWidth / 8).reversed() {
                value = value << 8 | Value(truncatingIfNeeded: bytes[place + index])
            }
            return value
        }
    #else
        package static func find(peer: SocketAddress, local: SocketAddress) -> UInt32? { nil }
    #endif
}
