public import SPKIPins
internal import WireFormat

/// What is wrong with a set of pins, or will be one day, though each of its keys is sound.
public enum PinSetProblem: Equatable, Sendable {
    /// The policy does not compile.
    case refused(PinPolicyError)
    /// The entry has no backup, and states this reason.
    case noBackup(reason: String)
    /// Every pin of the entry, backups included, hangs on one authority.
    case oneAuthority(name: String)
    /// One of backup and primary pin has issued the other, such as a root and its own intermediate.
    case relatedBackup(backup: Pin, primary: Pin)
    /// The backup is the key of a primary pin under another algorithm identifier, as a certificate or a key at hand
    /// shows.
    case backupHasPrimaryKey(backup: Pin, primary: Pin)
    /// Every backup hangs on the authority of a primary pin, though not all on one; these are two of such pins.
    case dependentBackup(backup: Pin, primary: Pin)
    /// The server of `host` presents the key that should lie in a safe.
    case presentedBackup(backup: Pin, host: String)
    /// The server of `host` presents a chain that meets no pin of the entry that decides, so its users are locked out.
    ///
    /// Not certain if an authority above the chain may have a pin whose certificate was not given.
    case presentedNoPin(host: String, isCertain: Bool)
    /// The server of `host` presents a key that the entry forbids.
    case presentedForbidden(pin: Pin, host: String)
    /// The pin is the hash of something else of a given certificate, whose key has the pin `right`.
    case mistakenHash(pin: Pin, of: MistakenHash, right: Pin)
    /// The key `authority` below the pinned one has another certificate, from `issuer`, over which no pin is met.
    case uncoveredPath(pin: Pin, authority: String, issuer: String)
    /// Certificates were given, and none of them is of this pin.
    case unknownPin(Pin, isBackup: Bool)
    /// The certificate of a pinned leaf lives for less than the time between two releases.
    case shortLeaf(pin: Pin, days: Int, cadenceDays: Int)
    /// For the hosts of the entry alone it decides, and pins of `pattern`, which covers them as well, do not count
    /// there.
    case shadows(pattern: String)
    /// The wildcard does not cover its base host, and the base host has no other entry.
    case apexGap(host: String)
    /// The entry stops deciding in so many days; in none, it has.
    case entryExpires(days: Int, isSoon: Bool)
    /// The last known certificate of a key ends at `end`, in so many days; in none, it has.
    ///
    /// `end` is the last second of its validity, counted from 1970-01-01T00:00:00Z.
    case certificateExpires(days: Int, isSoon: Bool, end: Int64)
    /// One key serves several hosts, so a thief of the key can impersonate all of them.
    case sharedKey(hosts: [String])
}

extension PinSetProblem {
    /// How bad it is.
    public var severity: AuditSeverity {
        switch self {
        case .refused, .presentedForbidden: .critical
        case .presentedNoPin(_, let isCertain): isCertain ? .critical : .warning
        case .entryExpires(let days, let isSoon): days <= 0 ? .critical : isSoon ? .warning : .note
        case .certificateExpires(_, let isSoon, _): isSoon ? .warning : .note
        case .unknownPin(_, let isBackup): isBackup ? .note : .warning
        case .shadows, .sharedKey: .note
        case .noBackup, .oneAuthority, .relatedBackup, .backupHasPrimaryKey, .dependentBackup, .presentedBackup,
            .mistakenHash, .uncoveredPath, .shortLeaf, .apexGap:
            .warning
        }
    }

    /// A name for programs; it stays the same from version to version.
    public var name: String {
        switch self {
        case .refused: "refused"
        case .noBackup: "no-backup"
        case .oneAuthority: "one-authority"
        case .relatedBackup: "related-backup"
        case .backupHasPrimaryKey: "backup-has-primary-key"
        case .dependentBackup: "dependent-backup"
        case .presentedBackup: "presented-backup"
        case .presentedNoPin: "presented-no-pin"
        case .presentedForbidden: "presented-forbidden"
        case .mistakenHash: "mistaken-hash"
        case .uncoveredPath: "uncovered-path"
        case .unknownPin: "unknown-pin"
        case .shortLeaf: "short-leaf"
        case .shadows: "shadows"
        case .apexGap: "apex-gap"
        case .entryExpires: "entry-expires"
        case .certificateExpires: "certificate-expires"
        case .sharedKey: "shared-key"
        }
    }

    /// What it is, in one sentence.
    public var sentence: String {
        switch self {
        case .refused(let error):
            // Which entry it is, the place of the finding says.
            "The policy does not compile: \(error.description { $0 == error.entry ? "the entry" : "an earlier entry" })."
        case .noBackup(let reason): "The entry has no backup pin; the stated reason is: \(reason)."
        case .oneAuthority(let name): "All pins depend on one authority, \(name)."
        case .relatedBackup(let backup, let primary):
            "Backup \(backup) and primary \(primary) are in one path: one has issued the other."
        case .backupHasPrimaryKey(let backup, let primary):
            "Backup \(backup) is the key of the primary pin \(primary) under another algorithm identifier."
        case .dependentBackup(let backup, let primary):
            "No backup is independent: \(backup) depends on the authority of the primary pin \(primary)."
        case .presentedBackup(let backup, let host): "The server of \(host) already presents the backup \(backup)."
        case .presentedNoPin(let host, let isCertain):
            "The chain that the server of \(host) presents meets no pin of the entry"
                + (isCertain ? "." : ", unless a pinned authority above it does whose certificate was not given.")
        case .presentedForbidden(let pin, let host): "The server of \(host) presents the forbidden key \(pin)."
        case .mistakenHash(let pin, let kind, let right):
            "The pin \(pin) is the hash of \(kind), not of its key, and matches no certificate; the key's pin is \(right)."
        case .uncoveredPath(let pin, let authority, let issuer):
            "A path over \(authority), as \(issuer) has signed it, does not meet the pin \(pin)."
        case .unknownPin(let pin, let isBackup):
            "No given certificate has the key of the \(isBackup ? "backup" : "pin") \(pin)."
        case .shortLeaf(let pin, let days, let cadence):
            "The leaf of \(pin) lives for \(days.counted("day")), and releases are \(cadence.counted("day")) apart."
        case .shadows(let pattern):
            "The pins of \(pattern) do not apply here, because the more specific pattern decides alone."
        case .apexGap(let host): "Subdomains of \(host) are pinned, but \(host) itself is not."
        case .entryExpires(let days, _):
            days > 0 ? "The entry expires in \(days.counted("day"))." : "The entry has expired."
        case .certificateExpires(let days, _, let end):
            days > 0
                ? "The last known certificate of the key ends in \(days.counted("day")), at \(Timestamp.text(unixSeconds: end))."
                : "Every known certificate of the key has ended, the last at \(Timestamp.text(unixSeconds: end))."
        case .sharedKey(let hosts):
            "One key serves \(hosts.count) hosts: \(hosts.prefix(3).joined(separator: ", "))\(hosts.count > 3 ? ", …" : "")."
        }
    }

    /// What to do about it, in one sentence.
    public var remedy: String {
        switch self {
        case .refused: "Correct the entry; until then the policy pins no host."
        case .noBackup: "Make a second key, keep it offline, and pin it too."
        case .oneAuthority: "Pin a backup under another authority, or a key that has no certificate yet."
        case .relatedBackup: "Take a backup from another path; these two go together."
        case .backupHasPrimaryKey: "Make a second key; a loss or theft of this key affects both pins."
        case .dependentBackup: "Add a backup under another authority, or a key that has no certificate yet."
        case .presentedBackup: "Make a new backup key that no server has; this one is lost together with the server's."
        case .presentedNoPin(_, let isCertain):
            isCertain
                ? "Pin a key of this chain before this policy is enforced, or correct the server's certificate."
                : "Give the certificates of the pinned authorities too, or pin a key of this chain."
        case .presentedForbidden: "Replace the server's key, or remove it from the forbidden ones."
        case .mistakenHash(_, _, let right): "Replace it by \(right), if that key is meant."
        case .uncoveredPath: "Pin a key on the other path too, or the authority below both."
        case .unknownPin(_, let isBackup):
            isBackup
                ? "A key that has no certificate yet needs no action; otherwise give its certificate."
                : "Give its certificate; if it has none, the pin matches no certificate, so remove it."
        case .shortLeaf: "Renew with the same key, pin the authority, or ship pins apart from releases."
        case .shadows: "Repeat the pins in this entry if they were meant to count."
        case .apexGap(let host): "Write **.\(host), or an entry for \(host)."
        case .certificateExpires(days: 0, _, _): "Pin the key that came after it, or give its new certificate."
        case .entryExpires(_, let isSoon), .certificateExpires(_, let isSoon, _):
            isSoon ? "Renew it, and ship the new pins before that day." : "Put the day into the calendar."
        case .sharedKey: "Give each host a key of its own, at the next renewal."
        }
    }
}
