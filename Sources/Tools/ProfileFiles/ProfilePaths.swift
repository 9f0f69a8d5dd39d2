internal import AllowedSites
internal import Foundation
internal import SPKIPins
internal import WireFormat

/// The folder of a profile, and the files that the profile names.
struct ProfilePaths {
    let profile: URL

    /// The absolute path; a relative path starts from the profile's folder.
    func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : profile.deletingLastPathComponent().appending(path: path).path
    }

    /// Reads at most one byte more than a profile or certificate may have.
    static func read(_ descriptor: Int32) throws(FileReadError) -> Data {
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            return try file.read(upToCount: ProfileReader.maximumBytes + 1) ?? Data()
        } catch {
            throw FileReadError(errno: EISDIR)
        }
    }
}
