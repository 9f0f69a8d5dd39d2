import AllowedSites
import BenchmarkSupport
import Foundation

/// What compiling a list takes: time, and the most memory at any time. In a process of its own, whose peak it then is.
func measureCompiling(_ path: String) throws {
    // The program's own pages are there from now on.
    let corpus = SiteCorpus(seed: 2, count: 1000)
    _ = SiteTrie(compiling: try SiteList(parsing: corpus.text().span, name: "first"))
    let before = memory("VmRSS")
    let begin = processSeconds()
    let (list, bytes) = try list(at: path)
    let read = processSeconds()
    let trie = SiteTrie(compiling: list)
    let end = processSeconds()
    let peak = memory("VmHWM") - before
    print(
        """
        \(trie.count) rules, \(bytes) bytes of text: read in \(seconds(read - begin)) s, \
        compiled in \(seconds(end - read)) s, \(trie.imageSize) bytes of image, \
        peak \(peak) KB, \(String(format: "%.2f", Double(peak) * 1024 / Double(bytes))) × the text
        """
    )
}

/// A list, and the size of its text, which is mapped and let go again, as the command does it.
private func list(at path: String) throws -> (list: SiteList, bytes: Int) {
    let text = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
    return (try SiteList(parsing: text.span, name: "list"), text.count)
}

private func seconds(_ value: Double) -> String { String(format: "%.2f", value) }

/// What Linux says of this process, in KB; 0 elsewhere.
private func memory(_ field: String) -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(field + ":") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
}
