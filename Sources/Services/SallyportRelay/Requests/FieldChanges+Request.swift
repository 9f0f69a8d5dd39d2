internal import HTTP1
internal import NIOCore

extension FieldChanges {
    /// The lines in `runs` whose fields are passed on.
    func kept(_ runs: [Range<Int>], of bytes: ByteBuffer) -> [Range<Int>] {
        guard !removed.isEmpty else { return runs }
        var lines: [Range<Int>] = []
        ReverseFields.forEachLine(in: runs, of: bytes) { line, name in
            if !removed.contains(name) { lines.append(line.line) }
        }
        return lines
    }
}
