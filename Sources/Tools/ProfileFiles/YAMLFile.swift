internal import Foundation
internal import WireFormat
internal import Yams

/// The YAML of a file, with an error of one line if the file cannot be parsed.
struct YAMLFile {
    let path: String

    /// Reads the root of the one document in `data`.
    ///
    /// - Parameter problem: what the error for a file without a document says.
    func root(_ data: some Collection<UInt8>, ifEmpty problem: String) throws(ProfileFileError) -> ProfileNode {
        guard data.count <= ProfileReader.maximumBytes else {
            throw failure(nil, "larger than \(ProfileReader.maximumBytes) bytes: split it or name the right file")
        }
        let bytes: [UInt8]
        do throws(ForeignFile) {
            bytes = try ForeignFile.text([UInt8](data))
        } catch {
            throw failure(nil, "\(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw failure(nil, "not UTF-8: convert the file")
        }
        if let line = AnchorScan.line(ofFirstAnchorIn: text) {
            throw failure(line, "anchors and aliases are not supported: write the value where it is needed")
        }
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            let problem = YAMLProblem(error, in: text)
            throw failure(problem.line, problem.text)
        }
        guard let root else { throw failure(nil, problem) }
        return ProfileNode(path: path, field: "", node: root)
    }

    func failure(_ line: Int?, _ problem: String) -> ProfileFileError {
        ProfileFileError(path: path, line: line, field: nil, problem: problem)
    }
}
