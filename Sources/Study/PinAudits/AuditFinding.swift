public import SPKIPins

/// One thing that the audit found: where, what, how bad, and what to do.
public struct AuditFinding: Equatable, Sendable {
    /// What is wrong.
    public enum Problem: Equatable, Sendable {
        /// A key is weak.
        case key(KeyWeakness)
        /// A set of pins is.
        case set(PinSetProblem)
        /// A certificate has a key and is else malformed.
        case certificate(CertificateProblem)
    }

    /// What the finding is about; indices count from 0 in what the audit was given.
    public enum Place: Equatable, Sendable {
        /// A policy as a whole.
        case policy(Int)
        /// An entry of a policy.
        case entry(Int, policy: Int, pattern: String)
        /// A key, and the first certificate that holds it, if any does.
        case key(Pin, certificate: Int?)
        /// A certificate, where not its key is meant, or where that cannot be read.
        case certificate(Int)
        /// The same of a certificate that a server presents: an index of a presentation, and one in its chain.
        case presented(Int, certificate: Int)
    }

    /// What the finding is about.
    public let place: Place
    /// What is wrong.
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
