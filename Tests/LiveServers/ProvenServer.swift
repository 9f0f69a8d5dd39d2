/// An OAuth service and a resource that demand proofs of possession, which a script in `Tests/Servers` starts.
package final class ProvenServer {
    /// Its URL, without a slash at the end.
    package let url: String
    private let process: HelperProcess

    /// - Parameter key: the public key of the client "machine", as a web key.
    package init(key: String) throws {
        let port = try ServerPort.take()
        url = "http://127.0.0.1:\(port)"
        process = try HelperProcess(server: "oauth-dpop", ["\(port)", key])
    }
}
