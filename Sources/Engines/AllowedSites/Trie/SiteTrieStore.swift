public import Hostnames
internal import Synchronization

/// Holds the trie that is in force, and swaps in a new one while others read.
///
/// Whoever asks often, such as a connection or a thread, has a ``SiteTrieReader``: it meets no lock but once after each
/// swap, and then for as long as it takes to copy a reference. Nobody waits while a trie is compiled or opened.
public final class SiteTrieStore: Sendable {
    private struct State {
        var trie: SiteTrie
        var version: UInt64
    }

    private let state: Mutex<State>
    /// The version of `state`, for readers that only want to know whether there is a new one.
    private let version = Atomic<UInt64>(0)
    private let load: @Sendable () throws -> SiteTrie

    /// Makes a store and loads its first trie.
    ///
    /// - Parameter load: makes a trie, now and for each ``reload()``; for example by mapping an image.
    public init(loading load: @escaping @Sendable () throws -> SiteTrie) throws {
        state = Mutex(State(trie: try load(), version: 0))
        self.load = load
    }

    /// The trie that is in force.
    public var current: SiteTrie { state.withLock { $0.trie } }

    /// Loads a trie anew and puts it in force; if that fails, the one before stays.
    public func reload() throws {
        replace(with: try load())
    }

    /// Puts `trie` in force.
    ///
    /// - Returns: the trie that was in force before.
    @discardableResult
    public func replace(with trie: SiteTrie) -> SiteTrie {
        state.withLock { state in
            let before = state.trie
            state = State(trie: trie, version: state.version + 1)
            version.store(state.version, ordering: .releasing)
            return before
        }
    }

    /// A reader, which begins with the trie that is in force.
    public func makeReader() -> SiteTrieReader {
        let (trie, version) = latest()
        return SiteTrieReader(store: self, trie: trie, version: version)
    }

    fileprivate func isLatest(_ version: UInt64) -> Bool {
        self.version.load(ordering: .acquiring) == version
    }

    fileprivate func latest() -> (SiteTrie, UInt64) {
        state.withLock { ($0.trie, $0.version) }
    }
}

/// Keeps the trie that was in force when it was last asked; one for each thread or connection.
public struct SiteTrieReader: Sendable {
    private let store: SiteTrieStore
    private var trie: SiteTrie
    private var version: UInt64

    fileprivate init(store: SiteTrieStore, trie: SiteTrie, version: UInt64) {
        (self.store, self.trie, self.version) = (store, trie, version)
    }

    /// The trie that is in force.
    ///
    /// - Complexity: one atomic load; after a swap, also a lock for the time of copying a reference.
    public var current: SiteTrie {
        mutating get {
            refresh()
            return trie
        }
    }

    /// ``SiteTrie/verdict(for:path:)`` of the trie that is in force.
    ///
    /// - Complexity: that of the trie's own answer and one atomic load. Retains nothing, which ``current`` does, and so can be
    ///   asked by many threads that do not write to one reference count.
    public mutating func verdict(for origin: Origin, path: String) -> SiteVerdict {
        refresh()
        return trie.verdict(for: origin, path: path)
    }

    /// ``SiteTrie/verdict(forURL:)`` of the trie that is in force.
    ///
    /// - Complexity: as of ``verdict(for:path:)``.
    public mutating func verdict(forURL url: String) -> SiteVerdict {
        refresh()
        return trie.verdict(forURL: url)
    }

    @inline(__always)
    private mutating func refresh() {
        if !store.isLatest(version) { (trie, version) = store.latest() }
    }
}
