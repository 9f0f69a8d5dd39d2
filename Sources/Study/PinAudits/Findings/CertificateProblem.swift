public import SPKIPins

/// A problem of a certificate whose key can be read.
public enum CertificateProblem: Equatable, Sendable {
    /// Names, dates or extensions cannot be read, so the checks that need them are skipped.
    case unreadableDetails(CertificateError)
}

extension CertificateProblem {
    /// How bad it is.
    public var severity: AuditSeverity {
        switch self {
        case .unreadableDetails: .note
        }
    }

    /// A name for programs; it stays the same from version to version.
    public var name: String {
        switch self {
        case .unreadableDetails: "unreadable-details"
        }
    }

    /// What it is, in one sentence.
    public var sentence: String {
        switch self {
        case .unreadableDetails(let error):
            "Not examined: when the certificate ends and what its names and extensions say, which cannot be read: \(error)."
        }
    }

    /// What to do about it, in one sentence.
    public var remedy: String {
        switch self {
        case .unreadableDetails: "Have it issued again, or examine it with another tool; its key was examined."
        }
    }
}
