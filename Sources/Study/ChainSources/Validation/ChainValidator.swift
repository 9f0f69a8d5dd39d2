internal import Corpora
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
        /// The library cannot verify the signatures of this algorithm, so nothing is known of the chain.
        case notJudged(algorithm: String)

        /// What a recording says of a chain that has no path; `nil` for one that has.
        package var note: String? {
            switch self {
            case .validated: nil
            case .refused(let reason): "not validated: \(reason)"
            case .notJudged(let algorithm): "\(ChainRecording.notJudged)signature algorithm \(algorithm)"
            }
        }
    }

    private let roots: CertificateStore
    /// Roots that the library cannot read, in DER, which may explain why there is no path.
    private let otherRoots: [[UInt8]]

    /// Trusts the roots of the system.
    package static var system: ChainValidator { ChainValidator(roots: CertificateStore.systemTrustRoots) }

    /// Trusts these certificates in DER; those that cannot be read are not trusted.
    package init(roots: [[UInt8]]) {
        let read = roots.map { try? Certificate(derEncoded: $0) }
        self.roots = CertificateStore(read.compactMap(\.self))
        otherRoots = zip(roots, read).filter { $0.1 == nil }.map(\.0)
    }

    private init(roots: CertificateStore) {
        self.roots = roots
        otherRoots = []
    }

    /// Validates a presented chain for a host at a time, in seconds since 1970 (RFC 5280 6, RFC 9525), as clients
    /// on the web do; ``ServerChainPolicy`` has what they demand besides.
    ///
    /// - Parameter presented: DER, the leaf first; the others in any order, as servers send them.
    /// - Complexity: as many signatures as the path has, and more where names are ambiguous.
    package func validate(_ presented: [[UInt8]], host: String, at time: Int64) async -> Outcome {
        // The library ends the process when it is to make such a time (ASN.1 has none).
        guard Timestamp.range.contains(time) else { return .refused("the time is outside of the years 1 to 9999") }
        let certificates = presented.map { try? Certificate(derEncoded: $0) }
        guard let first = certificates.first, let leaf = first else {
            let algorithm = presented.first.flatMap(UnjudgedAlgorithm.name(in:))
            return algorithm.map { .notJudged(algorithm: $0) } ?? .refused("the leaf cannot be read")
        }
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
            guard let failure = failures.first else {
                // A path that a policy refuses is refused whatever else was presented; without one, a certificate that the
                // library cannot read may be what is missing.
                let algorithm = UnjudgedAlgorithm.name(onPathOf: presented + otherRoots)
                return algorithm.map { .notJudged(algorithm: $0) } ?? .refused("no path to a trusted root")
            }
            // The reason quotes whole certificates, which are removed.
            let text = "\(failure.policyFailureReason)".replacing(/Certificate\(.*\)/, with: "")
            return .refused(PlainLine.text(text))
        }
    }
}
