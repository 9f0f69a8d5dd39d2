/// An identity-aware proxy that checks ID tokens with joserfc, the service that gives them, and an interface that reads keys, which a script in
/// `Tests/Servers` starts.
///
/// `@unchecked Sendable` is safe, because the process is only kept after the start, so no two threads call it.
package final class IdentityProxy: @unchecked Sendable {
    package let port: UInt16
    /// Its URL, without a slash at the end.
    package var url: String { "http://127.0.0.1:\(port)" }
    private let process: HelperProcess

    package init() throws {
        port = try ServerPort.take()
        process = try HelperProcess(server: "identity-proxy", ["\(port)"])
    }
}
