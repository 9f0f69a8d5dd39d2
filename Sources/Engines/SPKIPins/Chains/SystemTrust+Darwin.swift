#if canImport(Security)
    internal import CoreFoundation
    internal import Hostnames
    package import Security
    internal import WireFormat

    extension SystemTrust {
        /// Evaluates with the policy for a TLS server of this name or address.
        package static let evaluation: Evaluation? = { (presented, host) throws(SystemTrustProblem) in
            var certificates: [SecCertificate] = []
            for bytes in presented {
                // One that the system cannot read is on no path, unless it is the server's own.
                if let certificate = SecCertificateCreateWithData(nil, CoreValues.data(bytes)) {
                    certificates.append(certificate)
                } else if certificates.isEmpty {
                    throw .refused(reason: "the system cannot read the server's certificate")
                }
            }
            let policy = SecPolicyCreateSSL(true, CoreValues.text(host.withoutBrackets))
            var made: SecTrust?
            let status = unsafe SecTrustCreateWithCertificates(CoreValues.list(certificates), policy, &made)
            guard status == errSecSuccess, let trust = made else {
                throw SystemTrustProblem(code: Int(status), text: "the system makes no trust of the certificates")
            }
            return try path(of: trust)
        }

        /// The path that the system trusts, as ``Evaluation`` returns it. It blocks its thread, perhaps for the network.
        package static func path(of trust: SecTrust) throws(SystemTrustProblem) -> [[UInt8]] {
            var error: CFError?
            guard unsafe SecTrustEvaluateWithError(trust, &error) else {
                let text = error.flatMap { CFErrorCopyDescription($0) }.flatMap { CoreValues.string($0) }
                throw SystemTrustProblem(code: error.map { CFErrorGetCode($0) } ?? 0, text: text)
            }
            guard let chain = SecTrustCopyCertificateChain(trust) else {
                throw .refused(reason: "the system shows no path")
            }
            return CoreValues.values(chain).map { value in
                // The list has certificates alone.
                let certificate = unsafe unsafeDowncast(value, to: SecCertificate.self)
                return CoreValues.withBytes(SecCertificateCopyData(certificate)) { [UInt8](copying: $0) }
            }
        }
    }
#endif
