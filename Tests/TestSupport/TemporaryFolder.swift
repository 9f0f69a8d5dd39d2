package import Foundation
internal import Synchronization

/// A folder of one test, which is removed with its last reference.
///
/// It lies in a folder of the process, with everything else that tests write. That folder is removed when the process ends, however it ends.
package final class TemporaryFolder: Sendable {
    package let url: URL

    /// - Parameter name: what the folder is for; a number makes it unique in the process.
    package init(_ name: String) throws {
        url = Self.place(name)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of a file in the folder.
    package func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

    /// Writes a file of the folder, and returns its path.
    @discardableResult
    package func write(_ text: String, _ name: String) throws -> String {
        try Data(text.utf8).write(to: url.appending(path: name))
        return path(name)
    }

    // MARK: - The folder of the process

    /// A place in the folder of the process where nothing lies yet, for a file or a folder that its user makes and removes.
    package static func place(_ name: String, extension suffix: String = "") -> URL {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return ofProcess.appending(path: "\(name)-\(number)\(suffix)")
    }

    /// The path of such a place, for tests without Foundation.
    package static func path(_ name: String) -> String { place(name).path(percentEncoded: false) }

    private static let count = Mutex(0)

    private static let ofProcess: URL = {
        // Short, because the path of a socket has 107 bytes at most.
        let name = "sallyport-\(UUID().uuidString.prefix(8))"
        let folder = FileManager.default.temporaryDirectory.appending(path: name)
        do {
            // Servers of other users enter it.
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o711]
            // Not with intermediate folders: then it may be one that another user has prepared.
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: false,
                attributes: attributes
            )
        } catch { preconditionFailure("no folder for the tests at \(folder.path): \(error)") }
        Watcher.remove(folder)
        _ = atexit { try? FileManager.default.removeItem(at: TemporaryFolder.ofProcess) }
        return folder
    }()
}
