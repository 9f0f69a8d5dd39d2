internal import HTTP1
internal import NIOCore

/// Whether a request comes from a web page of another site, as its browser says.
///
/// The relay adds the user's account to every request, as a browser adds cookies, so another site's page could use it.
struct CrossSiteRule {
    private var origin: String?
    private var site: String?
    private var mode: String?
    private var destination: String?

    /// Reads the fields of a head.
    init(_ head: RequestHead, _ bytes: ByteBuffer) {
        ReverseFields.forEach(in: head.fields.kept, of: bytes) { name, value in
            switch name {
            // More than one of them cannot be equal to the listener.
            case "origin": origin = origin == nil ? value : "null"
            case "sec-fetch-site": site = value.lowercased()
            case "sec-fetch-mode": mode = value.lowercased()
            case "sec-fetch-dest": destination = value.lowercased()
            default: break
            }
        }
    }

    /// - Parameters:
    ///   - base: the listener as the client calls it.
    ///   - isSafe: whether the method is GET or HEAD.
    func refuses(base: String, isSafe: Bool) -> Bool {
        if let origin, origin.lowercased() != base { return true }
        guard let site, site != "same-origin", site != "none" else { return false }
        // A link of another site that the user follows; a frame would let the other site place its page over this one.
        return !(isSafe && mode == "navigate" && destination == "document")
    }
}
