internal import WireFormat

/// How often an ``IdentityWatch`` looks, and when it warns.
public struct IdentityWatchOptions: Sendable {
    /// How often the files and the times are looked at.
    public var interval: Duration
    /// How long before its end an identity is reported, once for each.
    public var margins: [Duration]

    /// Every 30 seconds; 30 days, 7 days and 1 day before the end.
    public init(
        interval: Duration = .seconds(30),
        margins: [Duration] = [.seconds(30 * 86_400), .seconds(7 * 86_400), .seconds(86_400)]
    ) {
        self.interval = interval
        self.margins = margins
    }
}

/// What an ``IdentityWatch`` has seen.
public enum IdentityEvent: Equatable, Sendable {
    /// Another identity was read, and is in use; the last second in which it is valid.
    case renewed(identity: String, notAfter: Int64)
    /// What was read cannot be used, or has expired. The identity of before stays in use.
    case unreadable(identity: String, reason: String)
    /// The identity ends within a margin; the last second in which it is valid.
    case expiresSoon(identity: String, notAfter: Int64)
    /// The identity has expired, and is not presented any more.
    case expired(identity: String, notAfter: Int64)
}

extension IdentityEvent: CustomStringConvertible {
    /// One line: the identity, what has happened, and what to do.
    public var description: String {
        switch self {
        case .renewed(let name, let end): "identity '\(name)': renewed, valid until \(Timestamp.text(unixSeconds: end))"
        case .unreadable(let name, let reason): "identity '\(name)': the new one is not used: \(reason)"
        case .expiresSoon(let name, let end):
            "identity '\(name)': expires on \(Timestamp.text(unixSeconds: end)): renew it"
        case .expired(let name, let end):
            "identity '\(name)': expired on \(Timestamp.text(unixSeconds: end)), and is not presented any more: renew it"
        }
    }
}
