internal import AllowedSites
internal import ArgumentParser

/// Lists of sites: `Benchmarks/Peers/Sites/compare` starts `generate`, `run` and `urls`; the others run by hand.
struct CompareSites: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sites",
        abstract: "Measures lists of sites.",
        subcommands: [
            Generate.self, Lookups.self, WholeURLs.self, Worst.self, Networks.self, Build.self, Open.self, First.self,
        ]
    )

    struct Generate: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Writes a list, and hosts to look up in it.")
        @Argument(help: "The number of rules.") var count: Int
        @Argument(help: "The folder to write to.") var folder: String

        func run() throws { try generate(count, folder) }
    }

    /// Where a list and hosts are.
    struct Questions: ParsableArguments {
        @Argument(help: "The list.") var list: String
        @Argument(help: "Files of hosts, one a line.") var hosts: [String]
    }

    struct Lookups: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract:
                "Prints, for each file: name, case, nanoseconds a verdict, bytes a rule, seconds to build, hosts allowed."
        )
        @Flag(help: "The compact layout.") var compact = false
        @OptionGroup var questions: Questions

        func run() throws { try measureVerdicts(questions.list, questions.hosts, compact ? .compact : .fast) }
    }

    struct WholeURLs: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "urls",
            abstract: "Whole https:// URLs, each of about 50 bytes, from text to verdict."
        )
        @OptionGroup var questions: Questions

        func run() throws { try measureURLs(questions.list, questions.hosts) }
    }

    struct Worst: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "The most expensive hosts, and their allocations (with Benchmarks/CCounters/allocations.c preloaded)."
        )
        @Argument(help: "The list.") var list: String

        func run() throws { try measureWorst(list) }
    }

    struct Networks: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Random networks of IPv4, of 2000::/3 and of 2001:db8::/32, beside a binary search in the same networks."
        )
        @Argument(help: "The number of networks.") var count: Int

        func run() throws {
            try measureNetworks(count, isIPv6: false)
            // The first as registries allocate networks, the second as one organisation has them.
            for prefix in [3, 32] { try measureNetworks(count, isIPv6: true, prefix: prefix) }
        }
    }

    struct Build: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: """
                Time and memory for compiling a list, and allocations a rule while it is read (with \
                Benchmarks/CCounters/allocations.c preloaded).
                """
        )
        @Option(help: "The dialect of the list, such as squid, if it is not a list of rules.") var dialect: String?
        @Argument(help: "The list.") var list: String

        func run() throws {
            let known = try dialect.map { name in
                guard let dialect = SiteDialect(rawValue: name) else {
                    let names = SiteDialect.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ValidationError("\(name) is not a dialect: use one of \(names).")
                }
                return dialect
            }
            try measureCompiling(list, known)
        }
    }

    struct Open: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Mapping the image of a list.")
        @Argument(help: "The list.") var list: String

        func run() throws { try measureOpening(list) }
    }

    struct First: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Mapping an image as the first thing that a process does."
        )
        @Argument(help: "The image.") var image: String

        func run() throws { try measureFirstAnswer(image) }
    }
}
