internal import Corpora
internal import Foundation
internal import SPKIPins

/// One chain a file, in files that are named for their host: `host.pem`, `host_8443.pem`.
struct PEMFolder {
    /// The most files in a folder.
    static let mostFiles = 1 << 20

    let options: ImportOptions

    func forEachChain(
        in path: String,
        _ body: (ImportedChain) throws(RecordingError) -> Void
    ) throws(RecordingError) -> Int {
        for file in try ImportFile.files(in: path, endings: ["pem", "crt", "cer"], most: Self.mostFiles) {
            let bytes = [UInt8](try ChallengeRecording.readFile(file))
            let presented = try ImportFile.certificates(bytes, file.path)
            guard !presented.isEmpty else {
                throw RecordingError(path: file.path, line: nil, problem: "no certificate in it (PEM): leave it out")
            }
            let endpoint = try ImportFile.endpoint(of: file, options)
            let time = try ImportFile.time(of: file, options)
            try body(ImportedChain(endpoint: endpoint, time: time, presented: presented, source: "pem"))
        }
        return 0
    }
}

/// What importers ask of files.
enum ImportFile {
    /// A file by itself, or those of a folder with one of the endings, in the order of their names.
    static func files(in path: String, endings: [String], most: Int) throws(RecordingError) -> [URL] {
        guard let isFolder = try? URL(filePath: path).resourceValues(forKeys: [.isDirectoryKey]).isDirectory else {
            throw RecordingError(path: path, line: nil, problem: "is not there: check the path")
        }
        guard isFolder else { return [URL(filePath: path)] }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw RecordingError(path: path, line: nil, problem: "cannot be read: check permissions")
        }
        let chosen = names.filter { name in endings.contains { name.lowercased().hasSuffix("." + $0) } }.sorted()
        guard (1...most).contains(chosen.count) else {
            let problem =
                "holds \(chosen.count) files that end in .\(endings.joined(separator: ", .")); 1 to \(most) are read"
            throw RecordingError(path: path, line: nil, problem: problem)
        }
        return chosen.map { URL(filePath: path).appending(path: $0) }
    }

    /// Who a file is about: what the caller said, or what its name says.
    static func endpoint(of file: URL, _ options: ImportOptions) throws(RecordingError) -> RecordedEndpoint {
        if let endpoint = options.endpoint { return endpoint }
        let name = file.deletingPathExtension().lastPathComponent
        // A port behind an underscore, because some file systems take no colon in a name.
        let parts = name.split(separator: "_", omittingEmptySubsequences: false)
        let hasPort = parts.count > 1 && parts.last.map { !$0.isEmpty && $0.allSatisfy(\.isNumber) } ?? false
        let text = hasPort ? parts.dropLast().joined(separator: "_") + ":" + parts[parts.count - 1] : name
        guard let endpoint = RecordedEndpoint(parsing: text) else {
            throw RecordingError(
                path: file.path,
                line: nil,
                problem: "is not named like host.pem: rename it, or use --host"
            )
        }
        return endpoint
    }

    /// When a file's chain was seen: what the caller said, or when the file was last written.
    static func time(of file: URL, _ options: ImportOptions) throws(RecordingError) -> Int64 {
        if let time = options.time { return time }
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        guard let date = attributes?[.modificationDate] as? Date else {
            throw RecordingError(path: file.path, line: nil, problem: "has no time of its own: use --at")
        }
        return Int64(date.timeIntervalSince1970)
    }

    static func certificates(_ bytes: [UInt8], _ path: String) throws(RecordingError) -> [[UInt8]] {
        do throws(PEMError) {
            return try PEM.certificates(in: bytes.span)
        } catch {
            throw RecordingError(path: path, line: nil, problem: "\(error)")
        }
    }
}
