internal import Corpora
internal import SPKIPins
internal import WireFormat

/// One chain a file, in files that are named for their host: `host.pem`, `host_8443.pem`.
struct PEMFolder {
    /// The most files in a folder.
    static let mostFiles = 1 << 20

    let options: ImportOptions

    func forEachChain(
        in path: String,
        _ body: (ImportedChain) throws(RecordingError) -> Void
    ) throws(RecordingError) -> ImportLosses {
        var losses = ImportLosses()
        for file in try ImportFile.files(in: path, endings: ["pem", "crt", "cer", "der"], most: Self.mostFiles) {
            guard let bytes = try ImportFile.read(file, of: path, &losses) else { continue }
            let chain: ImportedChain
            do throws(RecordingError) {
                chain = try self.chain(in: file, bytes)
            } catch {
                losses.leaveOut(error)
                continue
            }
            try body(chain)
        }
        return losses
    }

    private func chain(in file: String, _ bytes: [UInt8]) throws(RecordingError) -> ImportedChain {
        let presented = try ImportFile.certificates(bytes, file)
        guard !presented.isEmpty else {
            // A SEQUENCE (X.690 8.9), which no text of PEM begins with unless it is a comment that begins with "0".
            let isBinary = bytes.first == 0x30 && bytes.contains(0)
            let problem =
                isBinary
                ? "binary (DER), not PEM: convert it, as with 'openssl x509 -inform DER'"
                : "no certificate in it (PEM): leave it out"
            throw RecordingError(path: file, line: nil, problem: problem)
        }
        return ImportedChain(
            endpoint: try ImportFile.endpoint(of: file, options),
            time: try ImportFile.time(of: file, options),
            presented: presented,
            source: "pem"
        )
    }
}

/// What importers ask of files.
enum ImportFile {
    /// A file by itself, or those of a folder with one of the endings, in the order of their names.
    static func files(in path: String, endings: [String], most: Int) throws(RecordingError) -> [String] {
        let names: [String]
        do throws(FileReadError) {
            guard try FileReading.kind(of: path) == .folder else { return [path] }
            names = try FileReading.names(inFolder: path)
        } catch {
            throw RecordingError(
                path: path,
                line: nil,
                problem: "cannot be read (\(error)): check path and permissions"
            )
        }
        let chosen = names.filter { name in endings.contains { name.lowercased().hasSuffix("." + $0) } }.sorted()
        guard (1...most).contains(chosen.count) else {
            let problem =
                "holds \(chosen.count) files that end in .\(endings.joined(separator: ", .")); 1 to \(most) are read"
            throw RecordingError(path: path, line: nil, problem: problem)
        }
        return chosen.map { path.hasSuffix("/") ? path + $0 : path + "/" + $0 }
    }

    /// The bytes of a file; `nil` for one of a folder that cannot be read, which `losses` then says. A folder may also hold a link to
    /// nothing, a folder or an unreadable file with such a name; a file that the caller names must be readable.
    static func read(_ file: String, of path: String, _ losses: inout ImportLosses) throws(RecordingError) -> [UInt8]? {
        do throws(RecordingError) {
            return try RecordingFile.readText(file)
        } catch {
            guard file != path else { throw error }
            losses.leaveOut(error)
            return nil
        }
    }

    /// The endpoint of a file: the one that the caller gave, or the one in the file's name.
    static func endpoint(of file: String, _ options: ImportOptions) throws(RecordingError) -> RecordedEndpoint {
        if let endpoint = options.endpoint { return endpoint }
        var name = file.lastIndex(of: "/").map { file[file.index(after: $0)...] } ?? file[...]
        if let dot = name.lastIndex(of: ".") { name = name[..<dot] }
        // A port behind an underscore, because some file systems take no colon in a name.
        let parts = name.split(separator: "_", omittingEmptySubsequences: false)
        let hasPort = parts.count > 1 && parts.last.map { !$0.isEmpty && $0.allSatisfy(\.isNumber) } ?? false
        let text = hasPort ? parts.dropLast().joined(separator: "_") + ":" + parts[parts.count - 1] : String(name)
        guard let endpoint = RecordedEndpoint(parsing: text) else {
            throw RecordingError(
                path: file,
                line: nil,
                problem: "is not named like host.pem: rename it, or use --host"
            )
        }
        return endpoint
    }

    /// When a file's chain was seen: what the caller said, or when the file was last written.
    static func time(of file: String, _ options: ImportOptions) throws(RecordingError) -> Int64 {
        if let time = options.time { return time }
        guard let time = try? FileReading.lastWritten(file), Timestamp.range.contains(time) else {
            let problem = "was last written at no time of the years 1 to 9999: say with --at when its chain was seen"
            throw RecordingError(path: file, line: nil, problem: problem)
        }
        return time
    }

    /// A time that a file says, and the caller's where it says none.
    static func time(_ text: String?, _ options: ImportOptions, _ place: (String, line: Int?))
        throws(RecordingError) -> Int64
    {
        guard let text, !text.isEmpty else {
            guard let time = options.time else {
                throw RecordingError(path: place.0, line: place.line, problem: "no time is there: use --at")
            }
            return time
        }
        do throws(TimestampError) {
            return try Timestamp(parsing: text).seconds
        } catch {
            throw RecordingError(path: place.0, line: place.line, problem: "\(error), or leave it out")
        }
    }

    static func certificates(_ bytes: [UInt8], _ path: String) throws(RecordingError) -> [[UInt8]] {
        do throws(PEMError) {
            return try PEM.certificates(in: bytes.span)
        } catch {
            throw RecordingError(path: path, line: nil, problem: "\(error)")
        }
    }
}
