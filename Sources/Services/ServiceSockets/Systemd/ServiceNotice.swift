internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// What a service tells systemd (sd_notify): one datagram to the socket that `NOTIFY_SOCKET` names.
public enum ServiceNotice: Sendable {
    /// It serves.
    case ready
    /// It reads its files again; ``ready`` follows.
    case reloading
    /// It ends.
    case stopping

    /// The datagram: variables, one a line.
    var text: String {
        switch self {
        case .ready: "READY=1"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Self.microseconds)"
        case .stopping: "STOPPING=1"
        }
    }

    private static var microseconds: Int64 { SystemClock.monotonicNanoseconds / 1000 }

    /// Sends the notice, without waiting. Nothing happens if no one listens: a service also runs without systemd.
    ///
    /// - Parameter socket: the value of `NOTIFY_SOCKET`: a path, or a name that begins with `@` of Linux's abstract sockets.
    /// - Returns: whether it was sent.
    @discardableResult
    public func send(to socket: String?) -> Bool {
        guard let socket, socket.hasPrefix("/") || socket.hasPrefix("@") else { return false }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(socket.utf8)
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard name.count < room else { return false }
        // In bounds: the name is shorter than the field.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        #if canImport(Glibc)
            let kind = Int32(SOCK_DGRAM.rawValue)
        #else
            let kind = SOCK_DGRAM
        #endif
        let descriptor = Self.make(kind)
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // A path ends with a zero; an abstract name has no end but its length.
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        let length = start + name.count + (name[0] == 0 ? 0 : 1)
        let bytes = Array(text.utf8)
        let sent = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT), address, socklen_t(length))
            }
        }
        return sent == bytes.count
    }

    private static func make(_ kind: Int32) -> Int32 { socket(AF_UNIX, kind, 0) }
}
