import SystemKerberos

/// The snippets of SystemKerberos.md.
enum SystemKerberosSnippet {
    /// Returns whether the log-on is complete.
    static func logOn(to host: String, send: @Sendable ([UInt8]) async throws -> [UInt8]) async throws -> Bool {
        let library = try KerberosLibrary.load()
        let worker = KerberosWorker()
        let credentials = KerberosCredentialCache(library: library)
        let services = KerberosServiceCache(library: library)

        let exchange = KerberosExchange(on: worker) { () throws(KerberosError) in
            let credential = try credentials.credential(for: .defaultCache())
            let service = try services.service(host: host)
            return try KerberosInitiator(credential: credential, service: service)
        }
        let first = try await exchange.step([])
        let answer = try await send(first.token)
        let last = try await exchange.step(answer)  // throws unless the server proved that it has the service's key
        return last.isComplete
    }
}
