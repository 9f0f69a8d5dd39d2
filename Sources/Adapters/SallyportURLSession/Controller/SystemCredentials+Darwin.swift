#if canImport(Security)
    internal import Foundation
    internal import SPKIPins
    internal import Sallyport
    internal import Security

    extension SystemCredentials {
        /// Lets the system validate the server, with its roots and rules, and takes the path that it built.
        static let systemTrust: (@Sendable (URLAuthenticationChallenge, Hostname) -> Trust?)? = { challenge, host in
            guard let trust = challenge.protectionSpace.serverTrust else { return nil }
            let path = try? SystemTrust.path(of: trust)
            let chain = path.flatMap { try? ValidatedChain(assertingValidated: $0) }
            return Trust(trust: ServerTrust(host: host, chain: chain), credential: URLCredential(trust: trust))
        }
    }
#endif
