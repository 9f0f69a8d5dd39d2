import AllowedSites
import Foundation
import WireFormat

/// What it takes to map an image, to get a first answer, and to check every byte.
func measureOpening(_ list: String) throws {
    let text = try load(list)
    let path = list + ".image"
    try SiteTrie(compiling: SiteList(parsing: text.span, name: "list")).writeImage(to: path)
    // The first time also pays for code and tables of this program that nothing has touched yet.
    var opened: [Double] = []
    for round in 0..<41 {
        let start = processSeconds()
        let trie = try SiteTrie(mappingImageAt: path, .trusted)
        _ = trie.verdict(forURL: "https://www.host\(round).example/")
        opened.append(processSeconds() - start)
    }
    let usually = opened.sorted()[20]
    let trie = try SiteTrie(mappingImageAt: path, .trusted)
    var start = processSeconds()
    let isUnchanged = trie.isImageUnchanged()
    let checked = processSeconds() - start
    start = processSeconds()
    _ = try SiteTrie(mappingImageAt: path)
    let validated = processSeconds() - start
    let rate = Double(trie.imageSize) / checked / 1e9
    print(
        "first answer \(Int(opened[0] * 1e6)) µs in a new process, then \(Int(usually * 1e6)), checksum \(String(format: "%.1f", rate)) GB/s (\(isUnchanged)),",
        "validated \(String(format: "%.2f", validated)) s"
    )
}

/// What it takes to map an image and to get the first answer of this process, and how many pages had to be fetched for it.
func measureFirstAnswer(_ path: String) throws {
    struct Moment {
        let seconds = processSeconds()
        let pages: Int

        init() {
            var usage = rusage()
            // RUSAGE_SELF, whose type depends on the system.
            unsafe getrusage(0, &usage)
            pages = usage.ru_minflt + usage.ru_majflt
        }

        func text(since start: Moment) -> String {
            "\(Int(((seconds - start.seconds) * 1e6).rounded())) µs, \(pages - start.pages) pages"
        }
    }
    _ = Moment()
    let start = Moment()
    let bytes = try ImageBytes(mappingFile: path, minimum: 1)
    let mapped = Moment()
    let trie = try SiteTrie(bytes, .trusted)
    let opened = Moment()
    let verdict = trie.verdict(forURL: "https://www.host.example/")
    let answered = Moment()
    print(
        "mapped \(mapped.text(since: start)); opened \(opened.text(since: mapped)); answered \(answered.text(since: opened));",
        "from mmap to answer \(answered.text(since: mapped)) (\(verdict))"
    )
}
