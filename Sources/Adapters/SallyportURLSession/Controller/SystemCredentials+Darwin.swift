#if canImport(Security)
    internal import Foundation
    internal import SPKIPins
    internal import Sallyport
    internal import Security

    extension SystemCredentials {
        /// Lets the system validate the server, with its roots and rules, and takes the path that it built.
        static let systemTrust: (@Sendable (URLAuthenticationChallenge, Hostname) -> Trust?)? = { challenge, host in
            guard let trust = challenge.protectionSpace.serverTrust else { return nil }
            var chain: ValidatedChain?
            // No error is asked for, so nothing is written through the pointer.
            if unsafe SecTrustEvaluateWithError(trust, nil),
                let certificates = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
            {
                chain = try? ValidatedChain(
                    assertingValidated: certificates.map { [UInt8](SecCertificateCopyData($0) as Data) }
                )
            }
            let credential = URLCredential(trust: trust)
            return Trust(trust: ServerTrust(host: host, chain: chain), credential: credential)
        }
    }
#endif
