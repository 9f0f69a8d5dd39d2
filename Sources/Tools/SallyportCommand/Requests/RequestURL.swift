internal import Hostnames
internal import InternationalHostnames
internal import OfflineVerbs

/// The URL of a request.
struct RequestURL {
    let location: URLLocation
    /// The URL as it is requested: its host in ASCII, without a fragment.
    let text: String

    init(_ url: String) throws(RequestProblem) {
        do throws(URLLocationError) {
            location = try URLLocation(parsing: url, hosts: .international)
        } catch {
            if case .origin(.userinfo) = error { throw .userInURL(option: "URL") }
            throw .url(error)
        }
        // The parser has found a scheme.
        let bytes = url.utf8
        var start = bytes.startIndex
        for _ in 0..<2 {
            start = bytes[start...].firstIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? start
        }
        let ends: [UInt8] = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")]
        let rest = bytes[start...].drop { !ends.contains($0) }.prefix { $0 != UInt8(ascii: "#") }
        let target = String(Substring(rest))
        text = "\(location.origin)\(target.hasPrefix("/") ? "" : "/")\(target)"
    }

    /// The URL for messages: without the query, which may hold a secret.
    var shown: String { "\(location)".inOneLine }
}
