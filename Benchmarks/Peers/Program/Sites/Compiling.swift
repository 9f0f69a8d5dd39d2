import AllowedSites
import BenchmarkSupport
import Foundation
import PeerComparison

/// What compiling a list takes: time, and the most memory at any time. In a process of its own, whose peak it then is.
func measureCompiling(_ path: String, _ dialect: SiteDialect?) throws {
    // The program's own pages are there from now on.
    let corpus = SiteCorpus(seed: 2, count: 1000)
    _ = SiteTrie(compiling: try SiteList(parsing: corpus.text().span, name: "first"))
    let before = memory("VmRSS")
    let allocations = Allocations()
    let (begin, allocated) = (processSeconds(), allocations?.soFar ?? 0)
    let (list, bytes) = try list(at: path, dialect)
    let (read, most) = (processSeconds(), allocations?.soFar ?? 0)
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
    if allocations != nil {
        print(String(format: "%.3f allocations a rule while reading", Double(most - allocated) / Double(list.count)))
    }
}

/// A list, and the size of its text, which is mapped and let go again, as the command does it.
private func list(at path: String, _ dialect: SiteDialect?) throws -> (list: SiteList, bytes: Int) {
    let text = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
    if let dialect { return (try dialect.read(bytes: text.span, name: "list").list, text.count) }
    return (try SiteList(parsing: text.span, name: "list"), text.count)
}

private func seconds(_ value: Double) -> String { String(format: "%.2f", value) }

/// What Linux says of this process, in KB; 0 elsewhere.
private func memory(_ field: String) -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(field + ":") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
}
