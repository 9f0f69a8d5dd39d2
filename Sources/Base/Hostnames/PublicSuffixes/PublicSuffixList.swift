internal import CPublicSuffixes
internal import Synchronization

/// Names below which anyone can register a name, such as `com`, `co.uk` and `github.io`: a list of publicsuffix.org.
///
/// Wildcards of rules and of pins are refused directly above such a name. A program that runs longer than the list stays
/// true reads a newer one, and lets the process use it before it reads rules:
///
/// ```swift
/// let list = try PublicSuffixList(parsing: bytes.span, hosts: .international)
/// if list.isNewer(than: .current) { PublicSuffixList.replaceCurrent(with: list) }
/// ```
public struct PublicSuffixList: Sendable {
    /// When the list was published, as its line `VERSION` says: `2026-10-22_08-36-41_UTC`; `nil` if it has no such line.
    public let version: String?
    let table: PublicSuffixTable

    /// The list that this library was built with.
    public static let builtIn = PublicSuffixList(
        version: builtInVersion,
        table: PublicSuffixTable(rules: builtInRules())
    )

    // The string is a literal of the generated file.
    private static var builtInVersion: String { unsafe String(cString: sallyport_public_suffix_version()) }

    /// The ``date`` of ``builtIn``, whose rules are not read for it.
    package static var builtInDate: String { date(of: builtInVersion) }

    init(version: String?, table: PublicSuffixTable) {
        (self.version, self.table) = (version, table)
    }

    /// The date of ``version``, such as `2026-10-22`.
    public var date: String? { version.map(Self.date) }

    private static func date(of version: String) -> String { String(version.prefix(dateLength)) }

    /// The number of rules.
    public var count: Int { table.ruleCount }

    /// Whether both lists say when they were published, and this one later.
    public func isNewer(than other: PublicSuffixList) -> Bool {
        guard let version, let old = other.version else { return false }
        return version > old
    }

    /// `YYYY-MM-DD`.
    static let dateLength = 10

    /// A copy of the rules in the program, one a line, names as A-labels.
    static func builtInRules() -> [UInt8] {
        let count = sallyport_public_suffix_rules_length()
        // In bounds: the array has `count` bytes and lives as long as the program.
        return unsafe [UInt8](UnsafeBufferPointer(start: sallyport_public_suffix_rules(), count: count))
    }
}

extension PublicSuffixList {
    /// The list in `replacement` is used only if this is true, so that a question without a replacement takes no lock.
    private static let isReplaced = Atomic(false)
    private static let replacement = Mutex<PublicSuffixList?>(nil)

    /// The list that the process uses: the built-in one until ``replaceCurrent(with:)``.
    public static var current: PublicSuffixList {
        guard isReplaced.load(ordering: .acquiring) else { return builtIn }
        return replacement.withLock { $0 } ?? builtIn
    }

    /// Lets every rule, list and policy that is read from now on be checked with `list`.
    ///
    /// What has been read keeps its verdict. Call it at the start of the program.
    public static func replaceCurrent(with list: PublicSuffixList) {
        replacement.withLock { $0 = list }
        isReplaced.store(true, ordering: .releasing)
    }
}

extension PublicSuffixList {
    /// Names that are reserved for one machine, one network or no network, so that no registry gives away a name below them:
    /// RFC 6761 section 6 (`example`, `invalid`, `localhost`, `test`), RFC 6762 (`local`), RFC 8375 (`home.arpa`), and `internal`,
    /// which ICANN reserved for private use in 2024.
    private static let reserved = ["example", "home.arpa", "internal", "invalid", "local", "localhost", "test"].map {
        [UInt8]($0.utf8)
    }

    /// Whether different owners may hold the names directly below the canonical name in `range` of `bytes`: it is a suffix, see
    /// ``isSuffix(_:in:)``, and not reserved.
    ///
    /// - Precondition: `range` lies inside `bytes` and holds a canonical name.
    /// - Complexity: that of ``isSuffix(_:in:)``.
    package func areStrangersBelow(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        guard isSuffix(bytes, in: range) else { return false }
        // Suffixes are few, so nearly no lookup gets here.
        return !Self.reserved.contains { name in
            name.count == range.count && name.indices.allSatisfy { name[$0] == bytes[range.lowerBound + $0] }
        }
    }

    /// Whether the list has this name of one label, such as `com`: then a registry sells names below it.
    ///
    /// - Precondition: `range` lies inside `bytes` and holds a canonical name.
    package func isListed(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        !table.kinds(of: bytes, in: range).isEmpty
    }

    /// Whether registries give away the names directly below the canonical name in `range` of `bytes`: the same as ``isSuffix(_:in:)`` with
    /// the list's section of registries (ICANN) alone, so `co.uk`, and not `github.io`.
    ///
    /// - Precondition: `range` lies inside `bytes` and holds a canonical name.
    /// - Complexity: that of ``isSuffix(_:in:)``.
    package func isOfRegistry(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        isSuffix(bytes, in: range, by: [.registryName, .registryWildcard], below: .registryWildcard)
    }

    /// Whether the canonical name in `range` of `bytes` is a suffix of publicsuffix.org, where an exception wins over a wildcard and
    /// each single label is a suffix. True also for a name whose children are all suffixes, such as `kawasaki.jp`. libpsl gives the
    /// same answers.
    ///
    /// - Precondition: `range` lies inside `bytes` and holds a canonical name.
    /// - Complexity: two hash lookups, no allocation. The first call also builds the table: less than 1 ms, 300 kB.
    package func isSuffix(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        isSuffix(bytes, in: range, by: [.name, .wildcard], below: .wildcard)
    }

    private func isSuffix(
        _ bytes: Span<UInt8>,
        in range: Range<Int>,
        by kinds: PublicSuffixTable.Kinds,
        below wildcard: PublicSuffixTable.Kinds
    ) -> Bool {
        var dot = range.lowerBound
        while dot < range.upperBound, bytes[dot] != UInt8(ascii: ".") { dot += 1 }
        guard dot < range.upperBound else { return true }
        let own = table.kinds(of: bytes, in: range)
        if own.contains(.exception) { return false }
        if !own.isDisjoint(with: kinds) { return true }
        return table.kinds(of: bytes, in: dot + 1..<range.upperBound).contains(wildcard)
    }
}
