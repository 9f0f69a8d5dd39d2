internal import AllowedSites
internal import Foundation
internal import WireFormat

/// The bytes of a list: a file, which is mapped, or what comes through a pipe.
enum ListBytes {
    /// The most bytes that are taken from a pipe, which cannot be mapped: a list of ten million rules.
    static let largestPipe = 1 << 28

    /// Reads all of them.
    ///
    /// - Throws: ``Problem``.
    static func read(_ file: String) throws(Problem) -> Data {
        let isStandardInput = namesStandardInput(file)
        let isMapped = !isStandardInput && (try? FileReading.kind(of: file)) == .file
        let bytes: Data
        do {
            if isMapped {
                bytes = try map(file)
            } else {
                let handle = isStandardInput ? .standardInput : try ArgumentPath.open(file)
                bytes = try handle.read(upToCount: largestPipe + 1) ?? Data()
            }
        } catch {
            throw Problem(text: FileProblem.reading(file))
        }
        guard bytes.count <= largestPipe || isMapped else {
            throw Problem(text: "more than \(largestPipe) bytes come this way: write them to a file, and name that")
        }
        // An empty pipe may mean that its writer failed. It is refused, because a list without its exceptions allows more.
        guard !bytes.isEmpty || isMapped else {
            throw Problem(text: "nothing came this way: check what writes the list, or name an empty file")
        }
        guard !SiteTrie.isImage(bytes) else {
            let remedy = isMapped ? "name it" : "write it to a file, name that"
            throw Problem(text: "this is a compiled list: \(remedy) with --image, or read the lists it was made of")
        }
        return bytes
    }

    /// Whether the file is standard input, by whichever of its names: it can be read once.
    static func namesStandardInput(_ file: String) -> Bool {
        FileProblem.isStandardInput(file) || ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(file)
    }

    /// The bytes of a regular file, mapped; an empty one has none to map.
    private static func map(_ file: String) throws(FileReadError) -> Data {
        do throws(ImageFileError) {
            let bytes = try ImageBytes(mappingFile: file, minimum: 1)
            // They live as long as `bytes`, which the closure holds; nothing writes to them.
            return unsafe Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: bytes.unsafeBytes.baseAddress.unsafelyUnwrapped),
                count: bytes.count,
                deallocator: .custom { _, _ in withExtendedLifetime(bytes) {} }
            )
        } catch .unreadable(let errno) {
            throw FileReadError(errno: errno)
        } catch {
            return Data()
        }
    }

    /// Why the list could not be read, and the remedy.
    struct Problem: Error {
        let text: String
    }
}
