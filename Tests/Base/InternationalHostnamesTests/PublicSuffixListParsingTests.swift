import Hostnames
import InternationalHostnames
import TestLimits
import TestSupport
import Testing

/// Lists that are read at run time.
@Suite(.inTurn) struct PublicSuffixListParsingTests {
    private static let end = "// ===END PRIVATE DOMAINS===\n"
    private static let version = "// VERSION: 2031-02-03_04-05-06_UTC\n"

    private func list(_ text: String, hosts: HostReader = .international) throws(PublicSuffixListError)
        -> PublicSuffixList
    {
        let bytes = Array(text.utf8)
        return try PublicSuffixList(parsing: bytes.span, hosts: hosts)
    }

    private func isPublic(_ list: PublicSuffixList, _ name: String) -> Bool {
        let bytes = Array(name.utf8)
        return list.isSuffix(bytes.span, in: bytes.indices)
    }

    private func isOfRegistry(_ list: PublicSuffixList, _ name: String) -> Bool {
        let bytes = Array(name.utf8)
        return list.isOfRegistry(bytes.span, in: bytes.indices)
    }

    private func error(_ text: String, hosts: HostReader = .international) -> PublicSuffixListError? {
        do throws(PublicSuffixListError) {
            _ = try list(text, hosts: hosts)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "The published list yields the rules that the generator made of it",
        .enabled(if: PublicSuffixPackage.isInstalled, PublicSuffixPackage.isMissing)
    )
    func publishedList() throws {
        let bytes = try PublicSuffixPackage.list()
        let read = try PublicSuffixList(parsing: bytes.span, hosts: .international)
        let builtIn = PublicSuffixList.builtIn
        #expect(read.version == builtIn.version && read.date == builtIn.date)
        // Both programs of the rules: ours with UTS #46, and the generator with Punycode alone.
        let suffixes = try PublicSuffixPackage.suffixes()
        #expect(suffixes.count > 10_000)
        #expect(suffixes.filter { !isPublic(read, $0) } == [])
        #expect(suffixes.filter { !isPublic(builtIn, $0) } == [])
        #expect(read.count == builtIn.count)
        #expect(suffixes.filter { isOfRegistry(read, $0) != isOfRegistry(builtIn, $0) } == [])
    }

    @Test("The rules behind the mark of the private section are those of companies") func sections() throws {
        let read = try list(
            "// ===BEGIN ICANN DOMAINS===\nco.example\n*.ck\n// ===END ICANN DOMAINS===\n"
                + "// ===BEGIN PRIVATE DOMAINS===\npages.example\n*.cloud.example\n" + Self.end
        )
        #expect(read.count == 4)
        for name in ["co.example", "a.ck", "ck"] {
            #expect(isPublic(read, name) && isOfRegistry(read, name), "\(name)")
        }
        for name in ["pages.example", "a.cloud.example", "cloud.example"] {
            #expect(isPublic(read, name) && !isOfRegistry(read, name), "\(name)")
        }
        #expect(isOfRegistry(try list("pages.example\n" + Self.end), "pages.example"))
    }

    @Test("Rules, blanks, comments, a byte order mark and CRLF") func forms() throws {
        let read = try list(
            "\u{FEFF}" + Self.version + "\r\nb.example\r\n*.c.example  a comment\r\n!d.c.example\n公司.cn\n" + Self.end
        )
        #expect(read.count == 4)
        #expect(read.version == "2031-02-03_04-05-06_UTC" && read.date == "2031-02-03")
        for name in ["b.example", "x.c.example", "c.example", "xn--55qx5d.cn", "com"] {
            #expect(isPublic(read, name), "\(name)")
        }
        // What the list does not name is no suffix, also when the built-in list names it.
        for name in ["d.c.example", "a.b.example", "co.uk", "lovable.app"] { #expect(!isPublic(read, name), "\(name)") }
    }

    @Test("Broken lists are one error that names the line") func broken() {
        #expect(error("") == .noRules)
        #expect(error("// nothing\n") == .noRules)
        #expect(error("a.example\nb.exam") == .notWhole)
        // ICANN's part alone would allow `*.github.io`.
        #expect(error("a.example\n// ===END ICANN DOMAINS===\n") == .notWhole)
        #expect(error("a.example\n<html>\n" + Self.end)?.description.hasPrefix("line 2 is not a rule") == true)
        for rule in [
            "*", "*.", "!", "a.*.example", "192.0.2.1", "[2001:db8::1]", "a..example", "!*.example", ".a", "a\u{0}b",
        ] {
            guard case .notARule(line: 2, _) = error("b.example\n\(rule)\n" + Self.end) else {
                Issue.record("\(rule) is read as a rule")
                continue
            }
        }
        guard case .notARule(line: 1, _?) = error("公司.cn\n" + Self.end, hosts: .ascii) else {
            Issue.record("a name outside ASCII is read without the reader for it")
            return
        }
        for version in ["yesterday", "2031-02-03", "2031-02-03_04-05-06_UTC2", ""] {
            #expect(error("// VERSION: \(version)\na.example\n" + Self.end) == .badVersion(line: 1), "\(version)")
        }
    }

    @Test("Bounds on bytes and on rules") func bounds() throws {
        let many = (0..<PublicSuffixList.maximumCount).map { "a\($0)\n" }.joined()
        #expect(try list(many + Self.end).count == PublicSuffixList.maximumCount)
        #expect(error(many + "b\n" + Self.end) == .tooManyRules(limit: PublicSuffixList.maximumCount))
        let long = String(repeating: "//", count: PublicSuffixList.maximumLength / 2)
        #expect(error(long + "\n") == .tooManyBytes(limit: PublicSuffixList.maximumLength))
    }

    @Test("Only lists that both have a date are compared") func newer() throws {
        let new = try list(Self.version + "a.example\n" + Self.end)
        let old = try list("// VERSION: 2023-02-09_23-26-00_UTC\na.example\n" + Self.end)
        let undated = try list("a.example\n" + Self.end)
        #expect(
            new.isNewer(than: .builtIn) && !old.isNewer(than: .builtIn) && PublicSuffixList.builtIn.isNewer(than: old)
        )
        #expect(!undated.isNewer(than: old) && !new.isNewer(than: undated) && undated.date == nil)
    }
}
