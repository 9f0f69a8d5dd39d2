/// A Squid that lets every client through.
package final class OpenSquid {
    package let port: UInt16
    private let process: HelperProcess

    /// - Parameter keepsConnections: whether it keeps connections to servers, as authenticated ones need.
    package init(keepsConnections: Bool) throws {
        port = try ServerPort.take()
        process = try HelperProcess(server: "squid-open", ["\(port)", keepsConnections ? "on" : "off"])
    }
}
