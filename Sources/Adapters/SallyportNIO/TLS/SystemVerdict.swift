internal import Foundation
internal import Hostnames
internal import NIOPosix
internal import SPKIPins
internal import SwiftASN1
internal import X509

/// What the system says about the certificates of one server: the authorities with which the search for a path begins.
struct SystemVerdict: Sendable {
    /// The authorities that vouch for the server. Those of a file vouch for every server.
    let roots: CertificateStore
    /// Authorities between, which the server has not sent.
    private(set) var issuers: [Certificate] = []
    /// Why the system gave no roots; it is told if the search for a path has no better reason.
    private(set) var problem: InvalidServer?

    /// The roots of a file.
    init(_ file: SystemRoots) {
        roots = file.store
        problem = file.problem.map { .noSystemRoots(reason: $0) }
    }

    /// The root of the path that the system trusts, so that the rules of the search hold for this path as for others.
    ///
    /// - Parameters:
    ///   - path: from the server to a root, or the reason of the system.
    ///   - presented: what the server sent, its own certificate first; `nil` for one that cannot be read.
    init(_ path: Result<[[UInt8]], SystemTrustProblem>, of presented: [Certificate?], at now: Date) {
        let subject = { (isTheReason: (Certificate) -> Bool) in
            let certificates = presented.compactMap(\.self)
            return (certificates.first(where: isTheReason) ?? certificates.first).map { "\($0.subject)" } ?? ""
        }
        var found: [Certificate] = []
        switch path {
        case .success(let path):
            found = path.compactMap { try? Certificate(derEncoded: $0) }
            if found.count != path.count || found.isEmpty {
                found = []
                problem = .refusedBySystem(reason: "a certificate of the system's path cannot be read")
            }
        case .failure(.unknownAuthority): break
        case .failure(.expired): problem = .expired(subject: subject { $0.notValidAfter < now })
        case .failure(.notYetValid): problem = .notYetValid(subject: subject { now < $0.notValidBefore })
        case .failure(.otherName): problem = .otherName
        case .failure(.otherUse): problem = .otherUse(subject: subject { _ in true })
        case .failure(.refused(let reason)): problem = .refusedBySystem(reason: reason)
        }
        roots = CertificateStore(found.suffix(1))
        issuers = found.dropFirst().dropLast().filter { !presented.contains($0) }
    }

    /// Evaluates on a thread that may block.
    static func path(
        from presented: [[UInt8]],
        to host: Hostname,
        _ evaluation: @escaping SystemTrust.Evaluation
    ) async -> Result<[[UInt8]], SystemTrustProblem> {
        do {
            return try await NIOThreadPool.singleton.runIfActive {
                do throws(SystemTrustProblem) {
                    return .success(try evaluation(presented, host))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            return .failure(.refused(reason: "not evaluated: \(error)"))
        }
    }
}
