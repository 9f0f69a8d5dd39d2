package import ArgumentParser
internal import Hostnames
internal import InternationalHostnames
internal import WireFormat

/// A verb that reads rules or pins, and so asks the public suffix list.
package protocol ReadsPublicSuffixes: ParsableCommand {
    var publicSuffixes: PublicSuffixOptions { get }
}

/// Which public suffix list counts.
package struct PublicSuffixOptions: ParsableArguments {
    /// Where Debian and others keep the list of their package `publicsuffix`.
    package static let systemFile = "/usr/share/publicsuffix/public_suffix_list.dat"

    /// How much of the system's file is read to learn its date; the line stands in the first 1,000 bytes.
    private static let startLength = 4096

    @Option(
        help: ArgumentHelp(
            "The public suffix list to use, in the form of publicsuffix.org. By default it is the one in the program, or \(Self.systemFile) if that is newer.",
            valueName: "file"
        )
    )
    package var publicSuffixes: String?

    package init() {}

    /// Lets the process use the list that counts.
    ///
    /// - Throws: ``CommandExit/couldNotRun`` for a file of the option that is not a list; the system's file is only named.
    package func use(systemFile: String = Self.systemFile) throws {
        do throws(Problem) {
            let choice: PublicSuffixList? =
                if let publicSuffixes { try Self.named(publicSuffixes) } else { try Self.newer(in: systemFile) }
            guard let choice else { return }
            if choice.date == nil {
                StandardError.write(
                    "sallyport: \((publicSuffixes ?? "").inOneLine): the list has no line '// VERSION:', so its age is unknown\n"
                )
            }
            PublicSuffixList.replaceCurrent(with: choice)
        } catch {
            StandardError.write("sallyport: \(error.text.inOneLine)\n")
            guard publicSuffixes == nil else { throw CommandExit.couldNotRun }
        }
    }

    /// Why a list is not used, with its file.
    struct Problem: Error {
        let text: String
    }

    /// The list in the file of the option. An older list than the program's would allow what that one refuses.
    static func named(_ file: String) throws(Problem) -> PublicSuffixList {
        let list = try read(file)
        guard !PublicSuffixList.builtIn.isNewer(than: list) else {
            throw Problem(
                text:
                    "\(file): the \(list.sentence) is older than the program's \(PublicSuffixList.builtIn.sentence): leave --public-suffixes out, or get a newer list"
            )
        }
        return list
    }

    /// The list in the system's file, if that is newer than the program's.
    static func newer(in file: String) throws(Problem) -> PublicSuffixList? {
        guard let start = try? FileReading.start(of: file, count: startLength),
            let version = PublicSuffixList.version(inStart: start.span),
            version > PublicSuffixList.builtIn.version ?? ""
        else { return nil }
        return try read(file)
    }

    private static func read(_ file: String) throws(Problem) -> PublicSuffixList {
        let bytes: [UInt8]
        do throws(FileReadError) {
            bytes = try FileReading.start(of: file, count: PublicSuffixList.maximumLength + 1)
        } catch {
            throw Problem(text: "\(file): \(FileProblem.reading(error))")
        }
        do throws(PublicSuffixListError) {
            return try PublicSuffixList(parsing: bytes.span, hosts: .international)
        } catch {
            throw Problem(text: "\(file): \(error)")
        }
    }
}
