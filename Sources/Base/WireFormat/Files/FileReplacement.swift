/// Replaces files atomically: a reader sees the old bytes or the new bytes, never a mixture.
package enum FileReplacement {
    /// Writes `bytes` to the file at `path`. An existing regular file is replaced; a symbolic link is followed.
    ///
    /// Devices, pipes and folders are not replaced.
    ///
    /// - Parameters:
    ///   - permissions: those of the new file, less what the process masks.
    ///   - group: the number of the group that the new file belongs to; it then has exactly these permissions. `nil` for the usual group.
    ///   - isDurable: whether to wait until the new file survives a loss of power, and not only a crash of this process.
    /// - Throws: ``FileWriteError``.
    package static func write(
        _ bytes: Span<UInt8>,
        to path: String,
        permissions: UInt16 = 0o644,
        group: UInt32? = nil,
        isDurable: Bool = false
    ) throws(FileWriteError) {
        // With a group, for its owner alone until it is the group's.
        var writer = try FileReplacementWriter(replacing: path, permissions: group == nil ? permissions : 0o600)
        if let group { try writer.share(withGroup: group, permissions: permissions) }
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
