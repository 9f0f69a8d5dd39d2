public import Hostnames
internal import Synchronization

/// Holds the current trie and replaces it while other threads read.
///
/// A thread or connection that asks often keeps a ``SiteTrieReader``. The reader takes a lock only after a replacement,
/// and only to copy a reference. Compiling or opening a trie blocks no reader.
public final class SiteTrieStore: Sendable {
    private struct State {
        var trie: SiteTrie
        var version: UInt64
    }

    private let state: Mutex<State>
    /// The version of `state`; readers compare it without taking the lock.
    private let version = Atomic<UInt64>(0)
    private let load: @Sendable () throws -> SiteTrie

    /// Makes a store and loads its first trie.
    ///
    /// - Parameter load: makes a trie, for example by mapping an image; called now and by each ``reload()``.
    public init(loading load: @escaping @Sendable () throws -> SiteTrie) throws {
        state = Mutex(State(trie: try load(), version: 0))
        self.load = load
    }

    /// The current trie.
    public var current: SiteTrie { state.withLock { $0.trie } }

    /// Loads a new trie and makes it current; if loading fails, the old trie stays.
    public func reload() throws {
        replace(with: try load())
    }

    /// Makes `trie` current.
    ///
    /// - Returns: the trie that was current before.
    @discardableResult
    public func replace(with trie: SiteTrie) -> SiteTrie {
        state.withLock { state in
            let before = state.trie
            assert(version.load(ordering: .relaxed) == state.version, "both change only under this lock")
            state = State(trie: trie, version: state.version + 1)
            version.store(state.version, ordering: .releasing)
            return before
        }
    }

    /// Makes a reader of the current trie.
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

/// Reads the current trie of a store; use one reader for each thread or connection.
public struct SiteTrieReader: Sendable {
    private let store: SiteTrieStore
    private var trie: SiteTrie
    private var version: UInt64

    fileprivate init(store: SiteTrieStore, trie: SiteTrie, version: UInt64) {
        (self.store, self.trie, self.version) = (store, trie, version)
    }

    /// The current trie.
    ///
    /// - Complexity: one atomic load; after a replacement, also a lock while a reference is copied.
    public var current: SiteTrie {
        mutating get {
            refresh()
            return trie
        }
    }

    /// ``SiteTrie/verdict(for:path:)`` of the current trie.
    ///
    /// - Complexity: that of the trie's own answer and one atomic load. Unlike ``current``, it retains nothing, so
    ///   threads do not write to a shared reference count.
    public mutating func verdict(for origin: Origin, path: String) -> SiteVerdict {
        refresh()
        return trie.verdict(for: origin, path: path)
    }

    /// ``SiteTrie/verdict(forURL:)`` of the current trie.
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
