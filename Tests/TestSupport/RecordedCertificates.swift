package import Foundation

/// Certificates that somebody recorded, for tests that want many real ones: `SALLYPORT_RECORDED_PEM` names a PEM file, or a folder
/// with PEM files at any depth.
package enum RecordedCertificates {
    /// Why a test that needs them is skipped.
    package static let whyNot = "SALLYPORT_RECORDED_PEM names no PEM file and no folder of any"

    /// The files, in the order of their names; none when nothing is named.
    package static var files: [URL] {
        guard let path = ProcessInfo.processInfo.environment["SALLYPORT_RECORDED_PEM"] else { return [] }
        let named = URL(filePath: path)
        guard let isFolder = try? named.resourceValues(forKeys: [.isDirectoryKey]).isDirectory else { return [] }
        guard isFolder else { return [named] }
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".pem") }.sorted().map { named.appending(path: $0) }
    }
}
