/// A Squid that lets every client through.
package final class OpenSquid {
    package let port: UInt16
    private let process: HelperProcess

    /// - Parameter keepsConnections: whether it keeps connections to servers, as authenticated ones need.
    package init(keepsConnections: Bool) throws {
        port = try ServerPort.take()
        process = try HelperProcess([Script.server("squid-open"), "\(port)", keepsConnections ? "on" : "off"])
        let line: String
        do { line = try process.readLine() } catch { throw PeerFailure(what: "squid-open did not start: \(error)") }
        guard line == "ready" else { throw PeerFailure(what: "squid-open said \(line.debugDescription)") }
    }
}
