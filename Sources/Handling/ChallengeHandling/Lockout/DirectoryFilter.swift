internal import Synchronization

/// A set of directories in 64 bytes. It may say that it contains one that it does not; this makes a withheld space narrower.
///
/// A Bloom filter of 512 bits, two for each directory: with ten directories one answer in 600 is wrong.
struct DirectoryFilter: Sendable {
    fileprivate var words = SIMD8<UInt64>()

    mutating func insert(_ path: RequestPath) {
        let (first, second) = Bit.both(path)
        words[first.word] |= first.mask
        words[second.word] |= second.mask
    }

    mutating func formUnion(_ other: DirectoryFilter) { words |= other.words }

    func contains(_ path: RequestPath) -> Bool {
        let (first, second) = Bit.both(path)
        return words[first.word] & first.mask != 0 && words[second.word] & second.mask != 0
    }
}

/// One bit of a filter.
private struct Bit {
    let word: Int
    let mask: UInt64

    /// - Parameter number: below 512.
    private init(_ number: UInt64) {
        word = Int(number >> 6)
        mask = 1 << (number & 63)
    }

    /// The bits of the directory of `path`.
    static func both(_ path: RequestPath) -> (Bit, Bit) {
        let hash = path.directoryHash
        return (Bit(hash >> 55), Bit(hash >> 46 & 511))
    }
}

/// The same for many threads, without a lock.
///
/// `@unchecked Sendable` is safe, because the words are atomic and are freed with the only reference to them.
@safe struct SharedDirectories: ~Copyable, @unchecked Sendable {
    // On the heap, because an array cannot hold what is atomic.
    private let words: UnsafeMutablePointer<Atomic<UInt64>>

    init(_ filter: DirectoryFilter) {
        unsafe words = .allocate(capacity: filter.words.scalarCount)
        for index in filter.words.indices { unsafe (words + index).initialize(to: Atomic(filter.words[index])) }
    }

    deinit {
        unsafe words.deinitialize(count: DirectoryFilter().words.scalarCount)
        unsafe words.deallocate()
    }

    borrowing func insert(_ path: RequestPath) {
        let (first, second) = Bit.both(path)
        insert(first)
        insert(second)
    }

    private borrowing func insert(_ bit: Bit) {
        // Nearly always it is there, and a read shares the memory with other threads.
        guard unsafe words[bit.word].load(ordering: .relaxed) & bit.mask == 0 else { return }
        _ = unsafe words[bit.word].bitwiseOr(bit.mask, ordering: .relaxed)
    }

    var filter: DirectoryFilter {
        var filter = DirectoryFilter()
        for index in filter.words.indices { filter.words[index] = unsafe words[index].load(ordering: .relaxed) }
        return filter
    }
}
