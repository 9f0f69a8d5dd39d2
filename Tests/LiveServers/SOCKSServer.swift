internal import Foundation

/// A SOCKS5 proxy on loopback.
package final class SOCKSServer {
    package let port: UInt16
    private let process: HelperProcess

    /// One that says what it got; `Tests/Servers/socks` explains the modes.
    package init(_ mode: String, account: String? = nil) throws {
        port = try ServerPort.take()
        process = try HelperProcess(server: "socks", ["\(port)", mode] + [account].compactMap(\.self))
    }

    /// Debian's MicroSocks, with one account or none.
    package init(microsocks account: (user: String, password: String)?) throws {
        port = try ServerPort.take()
        let arguments = account.map { ["-u", $0.user, "-P", $0.password] } ?? []
        let command = ["microsocks", "-i", "127.0.0.1", "-p", "\(port)"] + arguments
        process = try HelperProcess(silent: command, port: Int(port))
    }

    package func change(to account: String) throws { _ = try process.ask("password \(account)") }

    /// Lets the mode "gate" go on.
    package func open() throws { _ = try process.ask("go") }

    /// What the proxy got so far.
    package var log: [[String: Any]] {
        get throws {
            let line = try process.ask("log")
            return try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [[String: Any]] ?? []
        }
    }

    /// The requests as `kind host:port`.
    package var requests: [String] {
        get throws {
            try log.filter { $0["command"] as? Int == 1 }
                .map { "\($0["kind"] ?? "") \($0["host"] ?? ""):\($0["port"] ?? "")" }
        }
    }

    /// The log-ons: whether each was right.
    package var logOns: [Bool] { get throws { try log.compactMap { $0["right"] as? Bool } } }
}
