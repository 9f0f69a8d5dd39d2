package import Foundation
package import WireFormat

/// Opens files and folders that the arguments name; a name may have bytes that are not UTF-8.
///
/// Foundation's calls take UTF-8 and repair other bytes, so they would open or write another file. This type uses the
/// system's calls. A URL only carries the text of ``SystemPath`` to code that uses the system's calls, too.
package enum ArgumentPath {
    /// The bytes of a command's arguments as texts of ``SystemPath``, without the command itself.
    ///
    /// `CommandLine.arguments` has U+FFFD in place of every byte that is not UTF-8.
    package static var arguments: [String] {
        var arguments: [String] = []
        // The system's array has as many pointers as it says, each to bytes that end with a NUL; they stay until the process ends.
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { break }
            arguments.append(unsafe SystemPath.text(endingWithZero: argument))
        }
        return arguments
    }

    /// Opens a file, or a pipe, for reading.
    package static func open(_ path: String) throws(FileReadError) -> FileHandle {
        FileHandle(fileDescriptor: try FileReading.openStream(path), closeOnDealloc: true)
    }

    /// The URL of a file or folder. The current folder is asked for here, because its name need not be UTF-8 either.
    package static func url(_ path: String) -> URL {
        guard !path.hasPrefix("/"), let folder = FileReading.currentFolder else { return URL(filePath: path) }
        return URL(filePath: folder.hasSuffix("/") ? folder + path : folder + "/" + path)
    }
}
