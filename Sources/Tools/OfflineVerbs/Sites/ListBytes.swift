internal import AllowedSites
package import Foundation
internal import WireFormat

/// Reads the bytes of a list from a file, which is mapped, or from a pipe.
package enum ListBytes {
    /// The most bytes that are read from a pipe, which cannot be mapped; enough for a list of ten million rules.
    package static let largestPipe = 1 << 28

    /// Reads all of them.
    ///
    /// - Throws: ``Problem``.
    package static func read(_ file: String) throws(Problem) -> Data {
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
            throw Problem(text: "more than \(largestPipe) bytes in the input: write them to a file, and name the file")
        }
        // An empty pipe may mean that its writer failed. It is refused, because a list without its exceptions allows more.
        guard !bytes.isEmpty || isMapped else {
            throw Problem(text: "the input is empty: check the program that writes the list, or name an empty file")
        }
        guard !SiteTrie.isImage(bytes) else {
            let remedy = isMapped ? "name it" : "write it to a file and name that"
            throw Problem(text: "this is a compiled list: \(remedy) with --image, or read the lists it was made of")
        }
        let start = [UInt8](bytes.prefix(ForeignFile.startLength))
        guard ForeignFile(start.span) != nil else { return bytes }
        do throws(ForeignFile) {
            return Data(try ForeignFile.text([UInt8](bytes)))
        } catch {
            throw Problem(text: "\(error)")
        }
    }

    /// Whether the path is one of the names of standard input, which can be read only once.
    package static func namesStandardInput(_ file: String) -> Bool {
        FileProblem.isStandardInput(file) || ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(file)
    }

    /// The mapped bytes of a regular file; no bytes for an empty file, which cannot be mapped.
    private static func map(_ file: String) throws(FileReadError) -> Data {
        do throws(ImageFileError) {
            let bytes = try ImageBytes(mappingFile: file, minimum: 1)
            // The memory is valid as long as `bytes`, which the closure holds. The data is read only.
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
    package struct Problem: Error {
        package let text: String
    }
}
