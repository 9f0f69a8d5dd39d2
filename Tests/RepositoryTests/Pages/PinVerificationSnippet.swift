import Hostnames
import PinVerification
import SPKIPins
import X509

/// The snippet of PinVerification.md.
enum PinVerificationSnippet {
    static func verify(
        _ leaf: Certificate,
        _ roots: CertificateStore,
        _ pins: PinPolicy,
        _ host: Hostname,
        now: Int64
    ) async -> CertificateValidationResult {
        var verifier = Verifier(rootCertificates: roots) {
            RFC5280Policy()
            PinVerifierPolicy(pins, host: host, now: now)
        }
        return await verifier.validate(leaf: leaf, intermediates: CertificateStore())
    }
}
