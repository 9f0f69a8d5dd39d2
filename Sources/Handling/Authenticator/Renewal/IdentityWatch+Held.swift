internal import ClientCertificates
internal import Credentials
internal import WireFormat

extension IdentityWatch {
    /// An identity in use, and what is known of its source.
    struct Held: Sendable {
        let place: IdentityPlace
        var keyed: KeyedIdentity
        /// The state of the files that it was read from, or that could not be read.
        var stamps: [FileStamp?]
        /// When a program runs again.
        var due: Int64
        /// Why the last look brought nothing, as it was reported.
        var complaint: String?
        /// The smallest margin that was reported, in seconds; 0 after the end.
        var reported = Int64.max

        /// Whether both are the same identity of the same place.
        func isSame(as other: Held) -> Bool {
            place.name == other.place.name && keyed.identity == other.keyed.identity
        }

        /// What is used in place of those before: not an expired identity while that of the same source before is valid.
        func replacing(_ list: [Held], at now: Int64) -> Held {
            var entry = self
            // What was reported about the same identity is not reported again.
            if let before = list.first(where: isSame(as:)) {
                entry.reported = before.reported
            } else if keyed.notAfter < now,
                let before = list.first(where: { $0.isOfSource(of: self) && $0.keyed.notAfter >= now })
            {
                // With its stamps, so that the next look reports the expired one.
                (entry.keyed, entry.stamps, entry.due) = (before.keyed, before.stamps, before.due)
                (entry.complaint, entry.reported) = (before.complaint, before.reported)
            }
            return entry
        }

        private func isOfSource(of other: Held) -> Bool {
            guard place.name == other.place.name else { return false }
            return switch (place.source, other.place.source) {
            case (.files(let files, _), .files(let others, _)): files == others
            case (.command(let words), .command(let others)): words == others
            case (.stored(let record, _), .stored(let other, _)): record == other
            case (.files, _), (.command, _), (.stored, _): false
            }
        }
    }

    /// An identity that the watch neither reads nor replaces.
    struct Fixed: Sendable {
        let identity: ClientIdentity
        let notAfter: Int64
        /// As in ``Held``.
        var reported = Int64.max
    }

    /// A new identity that no server would get.
    struct Expired: Error, CustomStringConvertible {
        let notAfter: Int64

        var description: String { "it expired on \(Timestamp.text(unixSeconds: notAfter)): renew it" }
    }
}
