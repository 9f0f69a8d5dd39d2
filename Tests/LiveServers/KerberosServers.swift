internal import Foundation
internal import TestSupport

/// Servers in a ``KerberosRealm`` that demand Negotiate with Kerberos, as `HTTP/localhost`.
package enum KerberosServers {
    /// Apache with mod_auth_gssapi: `/request/` authenticates each request, `/connection/` the connection. Both name the user in the
    /// field `X-User`; `/open/` is open.
    package struct Apache {
        package let http, https: UInt16
        private let script: ServerScript

        /// The file of the certificate that signs itself.
        package func certificate() throws -> String { try script.ask("certificate") }

        /// The number of tickets that clients have handed over, for `/delegated/`.
        package func delegated() throws -> Int { Int(try script.ask("delegated")) ?? -1 }

        /// A request that has ended.
        package struct Request: Equatable {
            /// The client's port, which names its connection.
            package let port: Int
            package let status: Int
            package let path: String
            /// Whether it brought a token.
            package let hasToken: Bool
        }

        /// The requests below `path`, in the order of their end. Apache writes the line of each after its response.
        package func requests(below path: String) throws -> [Request] {
            try script.ask("requests").split(separator: " ").compactMap { line -> Request? in
                let words = line.split(separator: ":")
                guard words.count == 4, let port = Int(words[0]), let status = Int(words[1]) else { return nil }
                return Request(port: port, status: status, path: String(words[2]), hasToken: words[3] == "1")
            }
            .filter { $0.path.hasPrefix(path) }
        }

        package init(in realm: KerberosRealm) throws {
            http = try ServerPort.take()
            https = try ServerPort.take()
            script = try ServerScript("apache-kerberos", ["\(http)", "\(https)", realm.folder])
        }
    }

    /// Our own server, with the options of `TestProgram serve`.
    package final class Own {
        package let port: Int
        private let process: HelperProcess

        package init(in realm: KerberosRealm, _ options: String...) throws {
            process = try HelperProcess([BuiltProgram.forTests, "serve"] + options, environment: realm.environment())
            let line = try process.readLine()
            guard line.hasPrefix("port "), let port = Int(line.dropFirst(5)) else {
                throw PeerFailure(what: "TestProgram serve said \(line.debugDescription)")
            }
            self.port = port
        }

        /// What the server said since the last call: `refused REASON` and `failed ERROR`, without requests that have no answer.
        package func report() throws -> [String] {
            try process.send("end")
            var lines: [String] = []
            while true {
                let line = try process.readLine()
                if line == "end" { return lines.filter { $0 != "refused the request has no answer" } }
                lines.append(line)
            }
        }
    }

    /// Squid with `negotiate_kerberos_auth`, and an open origin server that can be reached through it.
    package struct Squid {
        package let proxy, origin: UInt16
        private let script: ServerScript

        /// - Parameter users: `USER:PASSWORD` of those who may use Basic; `nil` for Negotiate alone.
        package init(in realm: KerberosRealm, users: String? = nil) throws {
            proxy = try ServerPort.take()
            origin = try ServerPort.take()
            let arguments = ["\(proxy)", "\(origin)", realm.folder, KerberosRealm.name] + [users].compactMap(\.self)
            script = try ServerScript("squid-kerberos", arguments)
        }

        /// The users of the requests that were let through, in the order of their end.
        package func users() throws -> [String] { try script.ask("users").split(separator: " ").map(String.init) }

        /// These users, once there are so many: Squid writes the line of a request after its response, and that of a tunnel after its end.
        package func users(atLeast count: Int) throws -> [String] {
            var users: [String] = []
            try blockUntil("\(count) lines of Squid; there are \(users.count)") {
                users = try self.users()
                return users.count >= count
            }
            return users
        }
    }
}
