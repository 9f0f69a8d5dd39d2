import LiveServers

/// What scripted servers say.
enum Responses {
    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    static let basic = asks("Basic realm=\"x\"")

    /// The word for a head that waits for it, and 200 for a whole request.
    static func accepts(_ request: ScriptedServer.Request) -> String {
        let waits = request.field("Expect") != nil && request.body.isEmpty
        return waits ? "HTTP/1.1 100 Continue\r\n\r\n" : ok
    }

    /// A 401 with these challenges, one a field.
    static func asks(_ challenges: String...) -> String { asks(challenges) }

    static func asks(_ challenges: [String]) -> String {
        let fields = challenges.map { "WWW-Authenticate: \($0)\r\n" }.joined()
        return "HTTP/1.1 401 Unauthorized\r\n\(fields)Content-Length: 2\r\n\r\nno"
    }

    static func redirect(_ status: Int = 302, to location: String) -> String {
        "HTTP/1.1 \(status) Away\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
    }
}
