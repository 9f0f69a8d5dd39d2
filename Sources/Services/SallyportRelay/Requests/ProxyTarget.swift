internal import HTTP1

/// The target of a request to a proxy (RFC 9112 section 3.2); ranges count from the head's first byte.
struct ProxyTarget {
    /// Host and port.
    let authority: Range<Int>
    /// Path and query; empty or without its slash if the client left them out, and for CONNECT.
    let path: Range<Int>

    /// `http://host/path`, or `host:port` for CONNECT. A user name before the host is refused.
    init(of head: borrowing RequestHead, in bytes: Span<UInt8>) throws(TargetDefect) {
        let target = head.target
        if head.method == .connect {
            // The port is required (RFC 9110 section 9.3.6).
            var colon = target.upperBound
            while colon > target.lowerBound, bytes[colon &- 1].isDigit { colon &-= 1 }
            guard colon < target.upperBound, colon &- 1 > target.lowerBound, bytes[colon &- 1] == UInt8(ascii: ":")
            else {
                throw .form
            }
            authority = target
            path = target.upperBound..<target.upperBound
            return
        }
        let start = target.lowerBound &+ 7
        guard target.count > 7, bytes.equals("http://", in: target.lowerBound..<start) else { throw .form }
        var end = start
        while end < target.upperBound, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end &+= 1 }
        guard end > start else { throw .form }
        authority = start..<end
        path = end..<target.upperBound
    }

    /// The target of a request to a server: a path, `*` for OPTIONS, or the absolute form, which servers take, too (RFC 9112 section
    /// 3.2.2).
    ///
    /// - Parameter isSecure: whether the client speaks TLS.
    init(ofServer head: RequestHead, isSecure: Bool, in bytes: Span<UInt8>) throws(TargetDefect) {
        let target = head.target
        guard head.method != .connect else { throw .notAPath }
        let none = target.lowerBound..<target.lowerBound
        if bytes[target.lowerBound] == UInt8(ascii: "/") {
            (authority, path) = (head.fields.host ?? none, target)
        } else if bytes.equals("*", in: target), bytes.equals("options", in: head.methodRange) {
            (authority, path) = (head.fields.host ?? none, target.upperBound..<target.upperBound)
        } else {
            let length = isSecure ? 8 : 7
            guard target.count > length, bytes.begins(isSecure ? "https://" : "http://", in: target) else {
                throw .notAPath
            }
            let start = target.lowerBound &+ length
            var end = start
            while end < target.upperBound, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") {
                end &+= 1
            }
            guard end > start else { throw .notAPath }
            (authority, path) = (start..<end, end..<target.upperBound)
        }
    }
}
