import Foundation

/// The files of the repository from which the tests were built.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The text of the file at `path` below the root.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// README and the articles of the facade: the pages with transcripts, by path.
    static func pages() throws -> [(path: String, text: String)] {
        let catalogue = "Sources/Handling/Sallyport/Sallyport.docc"
        let names = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: catalogue).path)
        let articles = names.filter { $0.hasSuffix(".md") && $0 != "Sallyport.md" }.sorted()
        return try (["README.md"] + articles.map { "\(catalogue)/\($0)" }).map { ($0, try text($0)) }
    }

    /// README and every page of every target, by path.
    static func allPages() throws -> [(path: String, text: String)] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "Sources").path)
        let pages = paths.filter { $0.hasSuffix(".md") }.sorted().map { "Sources/\($0)" }
        return try (["README.md"] + pages).map { ($0, try text($0)) }
    }

    /// Every Swift file below `folder`, by its path there, in alphabetical order.
    static func swiftFiles(below folder: String) throws -> [(file: String, text: String)] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
        return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { ($0, try text("\(folder)/\($0)")) }
    }
}
