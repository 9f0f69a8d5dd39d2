/// The paths at a place where the password is withheld for a while, because the place refused it there although it had
/// accepted it before. The account may lack permission for them.
struct WithheldPaths: Sendable {
    private struct Entry {
        let path: String
        /// Whether all paths that start with `path` are withheld.
        let isDirectory: Bool
        let since: MonotonicTime
    }

    /// The most entries; beyond that the oldest is dropped.
    static let maximumEntries = 32

    private var entries: [Entry] = []
    /// The directories in which the place accepted the password.
    var accepted = DirectoryFilter()

    /// Records that the place accepted the password at `path`.
    mutating func accepted(at path: RequestPath) { accepted.insert(path) }

    /// Withholds `path`, and its whole directory if nothing in it was accepted yet.
    mutating func withhold(_ path: RequestPath, now: MonotonicTime) {
        let isKnown = accepted.contains(path)
        if entries.count == Self.maximumEntries { entries.removeFirst() }
        // The target of CONNECT has no directory.
        let isDirectory = !isKnown && path.directory.utf8.last == UInt8(ascii: "/")
        entries.append(Entry(path: isDirectory ? path.directory : path.text, isDirectory: isDirectory, since: now))
    }

    /// Whether no path is withheld, as nearly always.
    var isEmpty: Bool { entries.isEmpty }

    /// When the password may be sent to `path` again, if paths are withheld for `time`; `nil` if it may now.
    func end(for path: RequestPath, now: MonotonicTime, after time: Int64) -> MonotonicTime? {
        guard !entries.isEmpty else { return nil }
        let covering = entries.filter { $0.isDirectory ? path.text.hasBytePrefix($0.path) : $0.path == path.text }
        let end = covering.map { $0.since + time }.max()
        return end.flatMap { $0 > now ? $0 : nil }
    }

    /// Whether a path is withheld, if paths are for `time`.
    func holdsAny(now: MonotonicTime, after time: Int64) -> Bool { entries.contains { $0.since + time > now } }

    /// Sends the password everywhere again.
    mutating func clear() { entries = [] }
}
