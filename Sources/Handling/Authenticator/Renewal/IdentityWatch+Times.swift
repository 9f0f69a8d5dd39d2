internal import ClientCertificates
internal import Credentials
internal import Synchronization

extension IdentityWatch {
    /// Reports the margins and the ends that are reached, and what ``use(_:_:)`` has refused.
    func checkTimes(_ authenticator: Authenticator, _ report: @Sendable (IdentityEvent) -> Void) {
        let now = now()
        let events =
            held.withLock { list in
                var events: [IdentityEvent] = []
                for index in list.indices {
                    let entry = list[index]
                    if entry.isComplaintNew, let reason = entry.complaint {
                        events.append(.unreadable(identity: entry.place.name, reason: reason))
                    }
                    list[index].isComplaintNew = false
                    let (identity, end) = (entry.keyed.identity, entry.keyed.notAfter)
                    if let event = event(of: identity, end, &list[index].reported, at: now) { events.append(event) }
                }
                return events
            }
            + fixed.withLock { list in
                list.indices.compactMap { index in
                    let entry = list[index]
                    return event(of: entry.identity, entry.notAfter, &list[index].reported, at: now)
                }
            }
        for event in events {
            // A connection must not outlive the identity that it was made with.
            if case .expired = event { authenticator.closeConnections() }
            report(event)
        }
    }

    /// - Parameter reported: see ``Held/reported``.
    private func event(
        of identity: ClientIdentity,
        _ end: Int64,
        _ reported: inout Int64,
        at now: Int64
    ) -> IdentityEvent? {
        let (left, overflow) = end.subtractingReportingOverflow(now)
        guard !overflow else { return nil }
        if left < 0 {
            guard reported > 0 else { return nil }
            reported = 0
            return .expired(identity: identity.name, notAfter: end)
        }
        guard let margin = margins.first(where: { left <= $0 }), margin < reported else { return nil }
        reported = max(margin, 1)
        return .expiresSoon(identity: identity.name, notAfter: end)
    }
}
