internal import AllowedSites
internal import Foundation

/// The bytes of a list: a file, which is mapped, or what comes through a pipe.
enum ListBytes {
    /// The most bytes that are taken from a pipe, which cannot be mapped: a list of ten million rules.
    static let largestPipe = 1 << 28

    /// Whether the file is standard input.
    static func isStandardInput(_ file: String) -> Bool { file == "-" }

    /// What people call a file that the arguments name.
    static func name(of file: String) -> String { isStandardInput(file) ? "standard input" : file }

    /// Reads all of them.
    ///
    /// - Throws: ``Problem``.
    static func read(_ file: String) throws(Problem) -> Data {
        let url = URL(filePath: file)
        let isMapped = !isStandardInput(file) && isRegular(url)
        let bytes: Data
        do {
            if isMapped {
                bytes = try Data(contentsOf: url, options: .mappedIfSafe)
            } else {
                let handle = isStandardInput(file) ? .standardInput : try FileHandle(forReadingFrom: url)
                bytes = try handle.read(upToCount: largestPipe + 1) ?? Data()
            }
        } catch {
            throw Problem(text: FileProblem.reading(file))
        }
        guard isMapped || bytes.count <= largestPipe else {
            throw Problem(
                text: "more than \(largestPipe) bytes come through this pipe: write them to a file, and name that"
            )
        }
        guard !SiteTrie.isImage(bytes) else {
            throw Problem(
                text: "this is a compiled list: name it with --image, or compile the lists that it was made of"
            )
        }
        return bytes
    }

    /// Whether it is a file, at the end of all links: others have no size and cannot be mapped.
    private static func isRegular(_ url: URL) -> Bool {
        let path = url.resolvingSymlinksInPath().path(percentEncoded: false)
        let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        return kind == .typeRegular
    }

    /// Why there are none, and what to do.
    struct Problem: Error {
        let text: String
    }
}
