internal import WireFormat

/// The servers that scripts in `Tests/Servers` start: on loopback, contained, gone with the test that started them.
package final class ServerScript {
    private let process: HelperProcess

    init(_ script: String, _ arguments: [String]) throws { process = try HelperProcess(server: script, arguments) }

    /// Sends a line to the script and waits for the one that answers it.
    func ask(_ line: String) throws -> String { try process.ask(line) }

    /// The accounts that every server knows, all in the domain ACME.
    package static let accounts = ["jdoe": "Correct-Horse", "ada": "Zażółć", "łukasz": "Żółw-Ü"]
    package static let domain = "ACME"
    package static let accountList = accounts.map { "\($0):\($1)" }.sorted().joined(separator: ",")

    /// Apache with mod_auth_gssapi and gss-ntlmssp.
    package struct Apache {
        package let http, https: UInt16
        private let script: ServerScript

        package init() throws { try self.init([]) }

        /// With the pages of the open server on `port`, and the certificate and key of two files.
        package init(before port: UInt16, certificate: String, key: String) throws {
            try self.init(["\(port)", certificate, key])
        }

        private init(_ arguments: [String]) throws {
            http = try ServerPort.take()
            https = try ServerPort.take()
            script = try ServerScript("apache-ntlm", ["\(http)", "\(https)", domain, accountList] + arguments)
        }
    }

    /// Apache with Digest at `/digest` and Basic at `/basic`, under a realm of any bytes.
    package struct PasswordApache {
        package let http: UInt16
        private let script: ServerScript

        package init(realm: [UInt8]) throws {
            http = try ServerPort.take()
            let digits = Hexadecimal.encode(realm.span)
            script = try ServerScript("apache-password", ["\(http)", digits, accountList])
        }
    }

    /// Squid, and an origin server that can be reached through it.
    package struct Squid {
        /// Who checks the answers.
        package enum Helper: String {
            case samba, pyspnego
            /// Samba under Negotiate.
            case sambaSPNEGO = "samba-spnego"
        }

        package let proxy, origin: UInt16
        private let script: ServerScript

        package init(helper: Helper) throws {
            proxy = try ServerPort.take()
            origin = try ServerPort.take()
            script = try ServerScript(
                "squid-ntlm",
                [
                    helper.rawValue, "\(proxy)", "\(origin)", domain, accountList,
                ]
            )
        }
    }
}
