/// Replaces files atomically: a reader sees the old bytes or the new bytes, never a mixture.
package enum FileReplacement {
    /// Writes `bytes` to the file at `path`. An existing regular file is replaced; a symbolic link is followed.
    ///
    /// Devices, pipes and folders are not replaced.
    ///
    /// - Parameters:
    ///   - permissions: those of the new file, less what the process masks.
    ///   - isDurable: whether to wait until the new file survives a loss of power, and not only a crash of this process.
    /// - Throws: ``FileWriteError``.
    package static func write(
        _ bytes: Span<UInt8>,
        to path: String,
        permissions: UInt16 = 0o644,
        isDurable: Bool = false
    ) throws(FileWriteError) {
        var writer = try FileReplacementWriter(replacing: path, permissions: permissions)
        try unsafe bytes.withUnsafeBytes { bytes throws(FileWriteError) in try unsafe writer.write(bytes) }
        try writer.finish(isDurable: isDurable)
    }
}

/// Why a file was not written.
package struct FileWriteError: Error, Equatable, Sendable {
    /// The operating system's reason; `ENODEV` if the path is not a regular file.
    package let errno: Int32

    /// Makes an error from an `errno`.
    package init(errno: Int32) { self.errno = errno }
}
