internal import HTTP1
internal import Hostnames
internal import NIOCore

/// Turns addresses of the listener into those of the server in requests, and back in responses.
///
/// Bodies stay as they are: a page with whole addresses of its server leads there, past the relay.
final class ReverseRewriting {
    private let server: Origin
    /// The listener as the client of the request calls it.
    private let base: Origin

    init(server: Origin, base: Origin) { (self.server, self.base) = (server, base) }

    // MARK: Requests

    /// Writes the fields of a request. Servers compare Origin and Referer with their own name; WebDAV names a second address in
    /// Destination.
    func writeRequest(_ runs: [Range<Int>], of bytes: ByteBuffer, to out: inout ByteBuffer) {
        ReverseFields.forEachLine(in: runs, of: bytes) { line, name in
            switch name {
            case "origin", "referer", "destination":
                guard let moved = Self.move(ReverseFields.text(line.value, bytes), from: base, to: server) else {
                    return ReverseFields.copy(line.line, of: bytes, to: &out)
                }
                out.writeString("\(ReverseFields.text(line.name, bytes)): \(moved)\r\n")
            default: ReverseFields.copy(line.line, of: bytes, to: &out)
            }
        }
    }

    // MARK: Responses

    /// Writes the fields of a response.
    func writeResponse(_ runs: [Range<Int>], of bytes: ByteBuffer, to out: inout ByteBuffer) {
        ReverseFields.forEachLine(in: runs, of: bytes) { line, name in
            let value = ReverseFields.text(line.value, bytes)
            let rewritten: String?
            switch name {
            case "location", "content-location": rewritten = Self.move(value, from: server, to: base)
            case "set-cookie": rewritten = cookie(value)
            // They speak of the name and the ports of the listener, for which the server has no say.
            case "strict-transport-security", "alt-svc", "public-key-pins": return
            default: rewritten = nil
            }
            guard let rewritten else { return ReverseFields.copy(line.line, of: bytes, to: &out) }
            out.writeString("\(ReverseFields.text(line.name, bytes)): \(rewritten)\r\n")
        }
    }

    /// `value` at `target` if it is an address at `source`; `nil` for others, and for a path alone.
    static func move(_ value: String, from source: Origin, to target: Origin) -> String? {
        let whole: String
        if value.hasPrefix("//") {
            whole = "\(source.scheme.rawValue):\(value)"
        } else if let colon = value.firstIndex(of: ":"), value[colon...].hasPrefix("://") {
            whole = value
        } else {
            return nil
        }
        guard let slashes = whole.firstRange(of: "://") else { return nil }
        let end = whole[slashes.upperBound...].firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? whole.endIndex
        guard let origin = try? Origin(parsing: whole[..<end]), origin == source else { return nil }
        return "\(target)\(whole[end...])"
    }

    /// A cookie that the client takes from the listener, which has another name than the server and possibly no TLS; `nil` if it
    /// needs no change.
    private func cookie(_ value: String) -> String? {
        let parts = value.split(separator: ";", omittingEmptySubsequences: false)
        let name = parts.first?.drop { $0 == " " || $0 == "\t" } ?? ""
        // Clients take cookies with these names only if they have the attribute.
        let needsSecure = ["__secure-", "__host-"].contains { name.lowercased().hasPrefix($0) }
        let losesSecure = base.scheme == .http && !needsSecure
        var kept = parts.prefix(1).map(String.init)
        for part in parts.dropFirst() {
            let attribute = part.filter { $0 != " " && $0 != "\t" }.lowercased()
            if attribute.hasPrefix("domain=") { continue }
            // These two are refused without the first.
            if losesSecure, ["secure", "samesite=none", "partitioned"].contains(attribute) { continue }
            kept.append(String(part))
        }
        return kept.count == parts.count ? nil : kept.joined(separator: ";")
    }
}
