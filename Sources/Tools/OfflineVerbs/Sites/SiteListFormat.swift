internal import AllowedSites
internal import ArgumentParser
internal import Foundation
internal import InternationalHostnames
internal import WireFormat

/// How lists are read.
struct SiteListFormat: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The dialect of the lists, if they are not lists of rules: \(SiteDialect.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "name"
        )
    )
    var dialect: String?

    @Flag(
        help: """
            Leave bad lines out, and report them on standard error. A line that may be an exception or narrow another rule \
            is never left out.
            """
    )
    var lenient = false

    @Flag(help: "With --dialect: allow wildcards directly above public suffixes, as in '*.com'.")
    var allowPublicSuffix = false

    func validate() throws {
        guard dialect != nil || !allowPublicSuffix else {
            throw ValidationError(
                "--allow-public-suffix needs --dialect; a list of rules has the line '#! allow-public-suffix' instead."
            )
        }
        guard let dialect, SiteDialect(rawValue: dialect) == nil else { return }
        let names = SiteDialect.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("--dialect takes one of \(names).")
    }

    /// Whether an option about lists was given.
    var isGiven: Bool { dialect != nil || lenient }

    /// Reads a list; reports problems on standard error.
    ///
    /// - Parameter narrows: whether the list can restrict other lists, so that none of its lines may be left out.
    /// - Throws: ``CommandExit/couldNotRun``.
    func read(_ file: String, verb: String, narrows: Bool = false) throws -> SiteList {
        func fail(_ text: String) -> any Error {
            StandardError.complain("sites \(verb)", "\(FileProblem.name(of: file)): \(text)")
            return CommandExit.couldNotRun
        }
        let data: Data
        do throws(ListBytes.Problem) {
            data = try ListBytes.read(file)
        } catch {
            throw fail(error.text)
        }
        let file = FileProblem.name(of: file)
        let (list, losses) = try Self.parse(
            data,
            file,
            dialect: dialect.flatMap(SiteDialect.init),
            leavingOutBadLines: lenient,
            allowingPublicSuffix: allowPublicSuffix,
            orFail: fail
        )
        for loss in losses { StandardError.write("\(file.inOneLine): \(loss)\n") }
        // A list that has the host of an entry without the names below it allows less, and says so.
        guard losses.allSatisfy(\.keepsHost) || lenient else {
            let count = losses.count.counted("entry", "entries")
            throw fail("\(count) cannot be expressed as rules: correct them, or use --lenient")
        }
        let exceptions = losses.count { $0.mayBeException }
        guard exceptions == 0 else {
            throw fail(
                "\(exceptions) of these may be meant as exceptions, which are never left out, or the list would allow more: "
                    + "correct them"
            )
        }
        if !list.leftOut.isEmpty { Self.name(list.leftOut, file) }
        guard !narrows || (list.leftOut.isEmpty && losses.isEmpty) else {
            throw fail(
                "without these lines more might be allowed by another list: correct them, or read this list alone"
            )
        }
        return list
    }

    /// Parses a list of rules, or one in a dialect.
    ///
    /// - Parameter fail: makes the error of a reason, after its lines are on standard error.
    static func parse(
        _ data: Data,
        _ file: String,
        dialect: SiteDialect?,
        leavingOutBadLines isLenient: Bool,
        allowingPublicSuffix: Bool,
        orFail fail: (String) -> any Error
    ) throws -> (SiteList, [DialectLoss]) {
        do throws(SiteListError) {
            let span = data.span
            if let dialect {
                let reading = try dialect.read(bytes: span, name: file, allowingPublicSuffix: allowingPublicSuffix)
                return (reading.list, reading.losses)
            }
            return (
                try SiteList(parsing: span, name: file, leavingOutBadLines: isLenient, hosts: .international), []
            )
        } catch {
            // Each bad line is reported with its reason; the error below sums up.
            switch error {
            case .badLines(let problems):
                name(problems, file)
                let count = problems.count.counted("bad line")
                throw fail(
                    "\(count): correct what is named above\(isLenient ? "" : ", or use --lenient to leave it out")"
                )
            case .badExceptions(let problems):
                name(problems, file)
                throw fail(
                    "a bad line that may be an exception is never left out, or the list would allow more: correct it"
                )
            case .badNarrowings(let problems):
                name(problems, file)
                throw fail("without this line a wider rule of the list would allow the whole host: correct it")
            case .tooManyBytes, .tooManyLines, .utf16: throw fail("\(error)")
            }
        }
    }

    /// Writes one line for each bad line, in the form of compilers' messages.
    static func name(_ problems: SiteListProblems, _ file: String, prefix: String = "") {
        let file = prefix + file.inOneLine
        var text = ""
        for problem in problems.listed { text += "\(file):\(problem.line):\(problem.column): \(problem.reason)\n" }
        if problems.count > problems.listed.count {
            text += "\(file): and \(problems.count - problems.listed.count) more bad lines\n"
        }
        StandardError.write(text)
    }
}
