/// Why certificates are not a chain.
public enum ChainError: Error, Equatable, Sendable {
    /// There is no certificate.
    case empty
    /// There are more certificates than a chain has.
    case tooManyCertificates(count: Int, limit: Int)
}

extension ChainError: CustomStringConvertible {
    /// One line: what is wrong and what to do.
    public var description: String {
        switch self {
        case .empty: "chain without certificates: give at least the leaf"
        case .tooManyCertificates(let count, let limit):
            "chain of \(count) certificates: at most \(limit) are read; give one chain, leaf first"
        }
    }
}

/// Certificates in DER: the contents of a validated or a presented chain. Keys are hashed on demand, so a decision that
/// needs one key hashes one.
package struct CertificateChain: Equatable, Sendable {
    /// The most certificates of a chain.
    package static let mostCertificates = 32

    /// The certificates, leaf first.
    package let certificates: [[UInt8]]

    init(_ certificates: [[UInt8]]) throws(ChainError) {
        guard !certificates.isEmpty else { throw .empty }
        guard certificates.count <= Self.mostCertificates else {
            throw .tooManyCertificates(count: certificates.count, limit: Self.mostCertificates)
        }
        self.certificates = certificates
    }

    /// The pin of each certificate, or why it has none.
    ///
    /// A certificate that cannot be read has no pin and matches nothing; the others may still match.
    package var keys: [Result<Pin, CertificateError>] {
        certificates.map { certificate in
            do throws(CertificateError) {
                return .success(try Pin(ofCertificate: certificate.span))
            } catch {
                return .failure(error)
            }
        }
    }
}
