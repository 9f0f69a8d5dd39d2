internal import AllowedSites
internal import ArgumentParser

/// A form in which a list of sites is written: our rules, or the dialect of another program.
enum SiteForm: Equatable {
    case rules
    case dialect(SiteDialect)

    /// All names, for the help and for errors.
    static let names = (["rules"] + SiteDialect.allCases.map(\.rawValue)).joined(separator: ", ")

    /// The form of an argument.
    static func named(_ name: String) throws -> SiteForm {
        if name == "rules" { return .rules }
        guard let dialect = SiteDialect(rawValue: name) else { throw ValidationError("The forms are \(names).") }
        return .dialect(dialect)
    }

    var name: String { dialect?.rawValue ?? "rules" }

    /// `nil` for our rules.
    var dialect: SiteDialect? {
        guard case .dialect(let dialect) = self else { return nil }
        return dialect
    }

    /// Writes a list in this form, with a line end behind its last line; empty if no rule can be expressed.
    func write(_ list: SiteList) -> (text: String, losses: [DialectLoss]) {
        guard let dialect else { return (Self.rules(list), []) }
        let written = dialect.write(list)
        return (written.text.isEmpty ? "" : written.text + "\n", written.losses)
    }

    /// Each rule once, in a line of its own, with the directive that its wildcards need.
    private static func rules(_ list: SiteList) -> String {
        var seen: Set<String> = []
        var text = ""
        var needsDirective = false
        for entry in list.entries {
            let rule = entry.rule.description
            guard seen.insert(rule).inserted else { continue }
            if (try? SiteRule(parsing: rule)) == nil { needsDirective = true }
            text += rule + "\n"
        }
        return needsDirective ? "#! allow-public-suffix\n" + text : text
    }
}
