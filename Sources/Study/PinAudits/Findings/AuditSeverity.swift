/// How bad a finding is, in ascending order.
public enum AuditSeverity: Int, Comparable, Sendable {
    /// Information; no action is needed.
    case note
    /// It will cause an outage or a weakness later, or already affects some users.
    case warning
    /// The key or the pinning gives no protection.
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
