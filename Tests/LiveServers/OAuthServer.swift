/// An OAuth service of Authlib with an interface that it protects, which a script in `Tests/Servers` starts.
///
/// `@unchecked Sendable` is safe, because the process is only kept after the start, so no two threads call it.
package final class OAuthServer: @unchecked Sendable {
    /// Its URL, without a slash at the end.
    package let url: String
    private let process: HelperProcess

    package init() throws {
        let port = try ServerPort.take()
        url = "http://127.0.0.1:\(port)"
        process = try HelperProcess(server: "oauth-authlib", ["\(port)"])
    }
}
