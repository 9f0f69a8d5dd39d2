/// Servers in a ``KerberosRealm`` that demand Negotiate with Kerberos, as `HTTP/localhost`.
package enum KerberosServers {
    /// Apache with mod_auth_gssapi: `/request/` authenticates each request, `/connection/` the connection. Both name the user in the
    /// field `X-User`; `/open/` is open.
    package struct Apache {
        package let http, https: UInt16
        private let script: ServerScript

        package init(in realm: KerberosRealm) throws {
            http = try ServerPort.take()
            https = try ServerPort.take()
            script = try ServerScript([Script.server("apache-kerberos"), "\(http)", "\(https)", realm.folder])
        }
    }

    /// Squid with `negotiate_kerberos_auth`, and an open origin server that can be reached through it.
    package struct Squid {
        package let proxy, origin: UInt16
        private let script: ServerScript

        package init(in realm: KerberosRealm) throws {
            proxy = try ServerPort.take()
            origin = try ServerPort.take()
            script = try ServerScript([
                Script.server("squid-kerberos"), "\(proxy)", "\(origin)", realm.folder, KerberosRealm.name,
            ])
        }

        /// The users of the requests that were let through, in the order of their end.
        package func users() throws -> [String] { try script.ask("users").split(separator: " ").map(String.init) }
    }
}
