/// An OAuth service and a resource that demand proofs of possession, which a script in `Tests/Servers` starts.
package final class ProvenServer {
    /// Its URL, without a slash at the end.
    package let url: String
    private let process: HelperProcess

    /// - Parameter key: the public key of the client "machine", as a web key.
    package init(key: String) throws {
        let port = try ServerPort.take()
        url = "http://127.0.0.1:\(port)"
        process = try HelperProcess([Script.server("oauth-dpop"), "\(port)", key])
        let line: String
        do { line = try process.readLine() } catch { throw PeerFailure(what: "oauth-dpop did not start: \(error)") }
        guard line == "ready" else { throw PeerFailure(what: "oauth-dpop said \(line.debugDescription)") }
    }
}
