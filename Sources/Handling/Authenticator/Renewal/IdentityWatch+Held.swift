internal import ChallengeHandling
internal import ClientCertificates
internal import Credentials
internal import WireFormat

extension IdentityWatch {
    /// An identity in use, and what is known of its source.
    struct Held: Sendable {
        var place: IdentityPlace
        var keyed: KeyedIdentity
        /// The state of the files that it was read from, or that could not be used.
        var stamps: [FileStamp?]
        /// When a program runs again.
        var due: Int64
        /// The identity that was read last, and is not valid yet.
        var waiting: KeyedIdentity?
        /// Why the last look brought nothing.
        var complaint: String?
        /// Whether the next look reports the complaint.
        var isComplaintNew = false
        /// The smallest margin that was reported, in seconds; 0 after the end.
        var reported = Int64.max

        init(place: IdentityPlace, keyed: KeyedIdentity, stamps: [FileStamp?], due: Int64) {
            (self.place, self.keyed, self.stamps, self.due) = (place, keyed, stamps, due)
        }

        /// Whether the source is read again. A program may ask a server, and a store is asked at each look.
        func isDue(at now: Int64) -> Bool {
            guard case .command = place.source else { return true }
            return now >= due
        }

        /// Whether both are the same identity of the same place.
        func isSame(as other: Held) -> Bool {
            place.name == other.place.name && keyed.identity == other.keyed.identity
        }

        func isOfSource(of other: Held) -> Bool {
            guard place.name == other.place.name else { return false }
            return switch (place.source, other.place.source) {
            case (.files(let files, _), .files(let others, _)): files == others
            case (.command(let words), .command(let others)): words == others
            case (.stored(let record, _), .stored(let other, _)): record == other
            case (.files, _), (.command, _), (.stored, _): false
            }
        }

        /// Whether both are the same identity, and come from the same source.
        func isStill(_ other: Held) -> Bool { isSame(as: other) && isOfSource(of: other) }

        /// Why another identity is not used in place of this one; `nil` if it is.
        func objection(to new: KeyedIdentity, at now: Int64) -> Unfit? {
            guard new.notAfter >= now else { return .expired(notAfter: new.notAfter) }
            // If no server gets this one, nothing is lost with it.
            guard case .one? = Self.choice(of: keyed, at: now) else { return nil }
            return switch Self.choice(of: new, at: now) {
            case .none(.identityNotForClients)?: .notForClients
            case .none(.identityNotYetValid)?: .notYetValid(new)
            default: nil
            }
        }

        /// What a server gets that accepts every authority; `nil` if the certificate cannot be read, which the profile reports.
        private static func choice(of keyed: KeyedIdentity, at now: Int64) -> IdentityChoice? {
            guard let candidate = try? IdentityCandidate(keyed.identity) else { return nil }
            return IdentityChoice(among: [candidate], for: .unknown, at: now)
        }

        /// This identity, which stays in use because of an error of its source.
        ///
        /// Files are read again only after another change, and a program runs again later.
        func staying(after error: any Error, stamps: [FileStamp?], at now: Int64) -> Held {
            var held = self
            (held.stamps, held.complaint, held.isComplaintNew) = (stamps, "\(error)", false)
            (held.due, held.waiting) = (IdentityWatch.retry(keyed, at: now), nil)
            if case .notYetValid(let new)? = error as? Unfit {
                held.waiting = new
                // Until then the program would only print another one that is not valid yet.
                if new.notBefore <= keyed.notAfter { held.due = max(held.due, new.notBefore) }
            }
            return held
        }

        /// What is used in place of those before: not what is unfit while that of the same source before is valid.
        func replacing(_ list: [Held], at now: Int64) -> Held {
            var entry = self
            // What was reported about the same identity is not reported again.
            if let before = list.first(where: isSame(as:)) {
                entry.reported = before.reported
            } else if let before = list.first(where: isOfSource(of:)), let unfit = before.objection(to: keyed, at: now)
            {
                entry = before.staying(after: unfit, stamps: stamps, at: now)
                entry.place = place
                entry.isComplaintNew = before.isComplaintNew || entry.complaint != before.complaint
            }
            return entry
        }
    }

    /// An identity that the watch neither reads nor replaces.
    struct Fixed: Sendable {
        let identity: ClientIdentity
        let notAfter: Int64
        /// As in ``Held``.
        var reported = Int64.max
    }

    /// Why a new identity is not used: no server would get it.
    enum Unfit: Error, CustomStringConvertible {
        case expired(notAfter: Int64)
        case notYetValid(KeyedIdentity)
        case notForClients

        var description: String {
            switch self {
            case .expired(let end): "it expired on \(Timestamp.text(unixSeconds: end)): renew it"
            case .notYetValid(let new):
                "it is not valid before \(Timestamp.text(unixSeconds: new.notBefore)), and is used from then on: "
                    + "check the clock if that is too late"
            case .notForClients:
                "it is not for clients: use one whose keyUsage has digitalSignature and whose extKeyUsage has clientAuth"
            }
        }
    }
}
