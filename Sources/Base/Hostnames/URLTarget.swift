/// Origin and target of a request to an absolute `http` or `https` URL.
///
/// The target is what the URL says after its authority, byte for byte: nothing is decoded or normalised, so that an answer signs what is
/// sent. A fragment is not sent. What ``URLLocation`` refuses is refused here, too.
package struct URLTarget: Equatable, Sendable {
    /// Scheme, host and port.
    package let origin: Origin
    /// Path and query, with a `/` at the start.
    package let target: String

    /// Parses an absolute URL such as `https://host.example:8443/path?query`.
    ///
    /// - Complexity: O(*n*) in the length of `url`; a string is not copied.
    /// - Throws: ``URLLocationError``, whose offsets count UTF-8 bytes of `url`.
    package init(parsing url: some StringProtocol) throws(URLLocationError) {
        let url = String(url)
        let bytes = url.utf8.span
        let parts = try URLParts(of: bytes)
        _ = try parts.path(in: bytes)
        origin = try parts.origin(in: bytes)
        var end = parts.end
        while end < bytes.count, bytes[end] != UInt8(ascii: "#") { end += 1 }
        let rest = text(of: bytes.extracting(parts.end..<end))
        target = rest.utf8.first == UInt8(ascii: "/") ? rest : "/" + rest
    }
}

/// Bytes as a string. They are copied once; making it from an array would cost one more allocation.
func text(of bytes: Span<UInt8>) -> String {
    // In bounds: the pointer is used during the call alone.
    unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
}
