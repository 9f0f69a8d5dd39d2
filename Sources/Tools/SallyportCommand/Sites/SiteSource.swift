internal import Synchronization

/// A file with sites that the arguments name, a list or an image, and its place among all of them.
///
/// The first one grants and the others narrow, whichever option names them; but the parser collects each option on its own,
/// so each file has the number of those that were named before it.
struct SiteSource: Comparable {
    /// A path, or `-` for standard input.
    let file: String
    let isImage: Bool
    private let place: Int

    private static let named = Atomic(0)

    /// What `--list` names; called in the order of the arguments.
    static func list(_ file: String) -> SiteSource { SiteSource(file: file, isImage: false, place: next()) }

    /// What `--image` names; called in the order of the arguments.
    static func image(_ file: String) -> SiteSource { SiteSource(file: file, isImage: true, place: next()) }

    private static func next() -> Int { named.wrappingAdd(1, ordering: .relaxed).oldValue }

    static func < (first: SiteSource, second: SiteSource) -> Bool { first.place < second.place }
}
