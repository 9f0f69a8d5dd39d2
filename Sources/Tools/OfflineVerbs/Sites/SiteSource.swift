internal import Synchronization

/// A list or an image that the arguments name, and its position among all of them.
///
/// The first file grants and the others narrow, with either option. The parser collects each option separately, so each
/// file keeps its position among the files of both options.
struct SiteSource: Comparable {
    /// A path, or `-` for standard input.
    let file: String
    let isImage: Bool
    private let place: Int

    private static let named = Atomic(0)

    /// The file of one `--list`; called in the order of the arguments.
    static func list(_ file: String) -> SiteSource { SiteSource(file: file, isImage: false, place: next()) }

    /// The file of one `--image`; called in the order of the arguments.
    static func image(_ file: String) -> SiteSource { SiteSource(file: file, isImage: true, place: next()) }

    private static func next() -> Int { named.wrappingAdd(1, ordering: .relaxed).oldValue }

    static func < (first: SiteSource, second: SiteSource) -> Bool { first.place < second.place }
}
