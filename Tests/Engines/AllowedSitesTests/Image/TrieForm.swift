@testable import AllowedSites

/// Everything that an image can look like: keys in each layout, IPv4 networks inside each other and as ranges.
enum TrieForm: CaseIterable {
    case fast, compact, ranges

    var layout: TrieLayout { self == .compact ? .compact : .fast }
    /// Lists of tests are short.
    var rangesFrom: Int { self == .ranges ? 0 : NetworkRanges.worthwhileCount }
}

extension SiteTrieBuilder {
    func build(keepingLines: Bool = true, form: TrieForm) -> SiteTrie {
        build(keepingLines: keepingLines, layout: form.layout, rangesFrom: form.rangesFrom)
    }
}

extension SiteTrie {
    init(compiling list: SiteList, _ form: TrieForm) {
        var builder = SiteTrieBuilder()
        builder.add(list)
        self = builder.build(form: form)
    }
}

func trie(_ rules: String..., form: TrieForm = .fast) throws -> SiteTrie {
    SiteTrie(compiling: try SiteList(parsing: rules.joined(separator: "\n"), name: "test"), form)
}
