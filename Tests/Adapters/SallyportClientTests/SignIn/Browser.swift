import Hostnames
import LiveServers
import OAuth

/// A user agent that does what a test says: one request on each connection, and it follows no redirect by itself.
enum ScriptedBrowser {
    struct Page: Sendable {
        let status: Int
        let head: String
        let body: String

        /// The value of the field Location.
        var location: String? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("location: ") }.map {
                String($0.dropFirst(10))
            }
        }
    }

    static func request(
        _ url: ServiceURL,
        _ method: String = "GET",
        target: String? = nil,
        form: String? = nil
    ) throws -> Page {
        let stream = try ByteStream(port: url.origin.port)
        let body = form ?? ""
        let type =
            form == nil
            ? "" : "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n"
        let head =
            "\(method) \(target ?? url.target) HTTP/1.1\r\nHost: \(url.origin)\r\nConnection: close\r\n\(type)\r\n"
        try stream.send(Array((head + body).utf8))
        let response = String(decoding: try stream.read(upTo: Array("\r\n\r\n".utf8)), as: UTF8.self)
        let length = response.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }
            .flatMap { Int($0.dropFirst(16)) }
        let text = String(decoding: try stream.read(count: length ?? 0), as: UTF8.self)
        return Page(status: Int(response.split(separator: " ")[1]) ?? 0, head: response, body: text)
    }

    /// Signs the user jdoe in at the service of Authlib.
    ///
    /// - Returns: where the service leads the browser.
    static func signIn(_ url: String, decision: String = "yes") throws -> ServiceURL {
        let page = try request(ServiceURL(url), "POST", form: "user=jdoe&decision=\(decision)")
        guard let location = page.location else { throw PeerFailure(what: "no redirect: \(page.head)\(page.body)") }
        return try ServiceURL(location)
    }
}
