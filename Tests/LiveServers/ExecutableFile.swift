package import Foundation

/// A file that a test runs as a program.
///
/// Another process writes it. This one starts processes all the time, and each of them holds copies of all open descriptors until it runs its
/// own program; the system runs no file that is open for writing anywhere (`ETXTBSY`).
package enum ExecutableFile {
    /// Writes a script.
    package static func write(_ text: String, to path: String, mode: Int) throws {
        let draft = path + ".draft"
        try Data(text.utf8).write(to: URL(filePath: draft))
        defer { try? FileManager.default.removeItem(atPath: draft) }
        try copy(URL(filePath: draft), to: path, mode: mode)
    }

    /// Copies a program.
    package static func copy(_ program: URL, to path: String, mode: Int = 0o700) throws {
        let install = Process()
        install.executableURL = URL(filePath: "/usr/bin/install")
        install.arguments = ["-m", String(mode, radix: 8), program.path, path]
        try install.run()
        install.waitUntilExit()
        guard install.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
