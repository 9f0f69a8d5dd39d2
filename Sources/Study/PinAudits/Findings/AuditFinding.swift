public import SPKIPins

/// One result of the audit: the place, the problem, its severity and the remedy.
public struct AuditFinding: Equatable, Sendable {
    /// The problem of a key, of a set of pins, or of a certificate.
    public enum Problem: Equatable, Sendable {
        /// A key is weak.
        case key(KeyWeakness)
        /// A set of pins has a problem.
        case set(PinSetProblem)
        /// A certificate's key can be read, but other parts are malformed.
        case certificate(CertificateProblem)
    }

    /// What the finding is about; indices count from 0 in the input of the audit.
    public enum Place: Equatable, Sendable {
        /// A policy as a whole.
        case policy(Int)
        /// An entry of a policy.
        case entry(Int, policy: Int, pattern: String)
        /// A key, and the first given certificate with this key; `nil` if none has it.
        case key(Pin, certificate: Int?)
        /// A certificate, if the finding is not about its key or the key cannot be read.
        case certificate(Int)
        /// A certificate that a server presents: the index of the presentation, and the index in its chain.
        case presented(Int, certificate: Int)
    }

    /// What the finding is about.
    public let place: Place
    /// The problem; it decides ``severity`` and ``name``.
    public let problem: Problem

    /// How bad it is.
    public var severity: AuditSeverity {
        switch problem {
        case .key(let weakness): weakness.severity
        case .set(let problem): problem.severity
        case .certificate(let problem): problem.severity
        }
    }

    /// A name for programs, such as `roca` or `one-authority`.
    public var name: String {
        switch problem {
        case .key(let weakness): weakness.name
        case .set(let problem): problem.name
        case .certificate(let problem): problem.name
        }
    }

    /// What it is, in one sentence.
    public var sentence: String {
        switch problem {
        case .key(let weakness): weakness.sentence
        case .set(let problem): problem.sentence
        case .certificate(let problem): problem.sentence
        }
    }

    /// What to do about it, in one sentence.
    public var remedy: String {
        switch problem {
        case .key(let weakness): weakness.remedy
        case .set(let problem): problem.remedy
        case .certificate(let problem): problem.remedy
        }
    }
}

extension AuditFinding: CustomStringConvertible {
    /// One line: severity, what, and what to do.
    public var description: String { "\(severity): \(sentence) \(remedy)" }
}
