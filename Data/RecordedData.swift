package import Foundation

/// Finds the recordings that ship with the package: the folders of `Recordings`.
package enum RecordedData {
    /// The folder of the recording `name`, if one is found that holds `file`.
    ///
    /// Looked for beside the executable, where a packaged build keeps its resources, then in the source tree that the
    /// program was built from. `Bundle.module` would end the program where neither is there.
    package static func folder(named name: String, holding file: String) -> URL? {
        let bundle = Bundle.main.bundleURL.appending(path: "sallyport_RecordedData.resources")
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
        let candidates = [
            bundle.appending(path: name), sources.appending(path: "Recordings").appending(path: name),
        ]
        return candidates.first { folder in
            FileManager.default.fileExists(atPath: folder.appending(path: file).path)
        }
    }
}
