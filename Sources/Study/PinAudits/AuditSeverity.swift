/// How bad a finding is; in rising order.
public enum AuditSeverity: Int, Comparable, Sendable {
    /// Good to know; nothing need be done.
    case note
    /// It will hurt one day, or hurts somebody already.
    case warning
    /// The key or the pinning is worth nothing as it is.
    case critical

    /// Whether `a` is less bad than `b`.
    public static func < (a: AuditSeverity, b: AuditSeverity) -> Bool { a.rawValue < b.rawValue }
}

extension AuditSeverity: CustomStringConvertible {
    /// One word.
    public var description: String {
        switch self {
        case .note: "note"
        case .warning: "warning"
        case .critical: "critical"
        }
    }
}
