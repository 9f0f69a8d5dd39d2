internal import Foundation
internal import SwiftASN1
internal import WireFormat
@_spi(FixedExpiryValidationTime) internal import X509

/// Builds the chain from a leaf to a root that is trusted, as a client would.
package struct ChainValidator: Sendable {
    /// A chain from the leaf to the anchor, or the reason why validation failed.
    package enum Outcome: Equatable, Sendable {
        /// Certificates in DER, leaf to anchor.
        case validated([[UInt8]])
        /// The reason, as one line of printable ASCII.
        case refused(String)
    }

    private let roots: CertificateStore

    /// Trusts the roots of the system.
    package static var system: ChainValidator { ChainValidator(roots: CertificateStore.systemTrustRoots) }

    /// Trusts these certificates in DER; those that cannot be read are ignored.
    package init(roots: [[UInt8]]) {
        self.roots = CertificateStore(roots.compactMap { try? Certificate(derEncoded: $0) })
    }

    private init(roots: CertificateStore) { self.roots = roots }

    /// Validates a presented chain for a host at a time, in seconds since 1970 (RFC 5280 6, RFC 9525), as clients
    /// on the web do; ``ServerChainPolicy`` has what they demand besides.
    ///
    /// - Parameter presented: DER, the leaf first; the others in any order, as servers send them.
    /// - Complexity: as many signatures as the path has, and more where names are ambiguous.
    package func validate(_ presented: [[UInt8]], host: String, at time: Int64) async -> Outcome {
        // The library ends the process when it is to make such a time (ASN.1 has none).
        guard Timestamp.range.contains(time) else { return .refused("the time is outside of the years 1 to 9999") }
        let certificates = presented.map { try? Certificate(derEncoded: $0) }
        guard let first = certificates.first, let leaf = first else { return .refused("the leaf cannot be read") }
        let isAddress = host.contains(":") || host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
        var verifier = Verifier(rootCertificates: roots) {
            RFC5280Policy(fixedExpiryValidationTime: Date(timeIntervalSince1970: TimeInterval(time)))
            ServerIdentityPolicy(serverHostname: isAddress ? nil : host, serverIP: isAddress ? host : nil)
            ServerChainPolicy(host: host, isAddress: isAddress)
        }
        let others = CertificateStore(certificates.dropFirst().compactMap(\.self))
        switch await verifier.validate(leaf: leaf, intermediates: others) {
        case .validCertificate(let chain):
            var validated: [[UInt8]] = []
            for certificate in chain {
                var serializer = DER.Serializer()
                guard (try? serializer.serialize(certificate)) != nil else { return .refused("cannot be written") }
                validated.append(serializer.serializedBytes)
            }
            return .validated(validated)
        case .couldNotValidate(let failures):
            guard let failure = failures.first else { return .refused("no path to a trusted root") }
            // The reason quotes whole certificates. They are removed, and the text is cut to 160 printable ASCII characters.
            let text = "\(failure.policyFailureReason)".replacing(/Certificate\(.*\)/, with: "")
            let reason = text.unicodeScalars.map { $0.isASCII && $0.value >= 0x20 ? $0 : "?" }
            return .refused(String(String.UnicodeScalarView(reason.prefix(160))))
        }
    }
}
