package import Foundation

/// Finds the recordings that ship with the package: the folders of `Recordings`.
package enum RecordedData {
    /// The folder of the recording `name`, if one is found that holds `file`.
    ///
    /// `Bundle.module` would end the program where it finds none.
    package static func folder(named name: String, holding file: String) -> URL? {
        places.map { $0.appending(path: name) }.first { folder in
            FileManager.default.fileExists(atPath: folder.appending(path: file).path)
        }
    }

    /// The folders that may hold recordings; the first one that holds the wanted file counts.
    private static var places: [URL] {
        let programs = Bundle.main.bundleURL
        return [
            // Beside the executable, where SwiftPM puts resources.
            programs.appending(path: "sallyport_RecordedData.resources"),
            // /usr/share/sallyport for /usr/bin/sallyport, and the same below another prefix.
            programs.deletingLastPathComponent().appending(path: "share/sallyport/recordings"),
            // The source tree that the program was built from.
            URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Recordings"),
        ]
    }
}
