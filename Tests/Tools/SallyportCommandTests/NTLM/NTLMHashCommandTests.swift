import Foundation
import LiveServers
import Testing

@Suite(.inTurn) struct NTLMHashCommandTests {
    private func hash(_ input: some Sequence<UInt8>) throws -> SallyportRun {
        try SallyportRun(["ntlm", "hash"], input: input)
    }

    private static let ofPassword = "a4f49c406510bdcab6824ee7c30fd852"
    private static let ofEmpty = "31d6cfe0d16ae931b73c59d7e0c089c0"

    @Test("MS-NLMP 4.2.2.1.2, the empty password, either line ending, none at the end") func lines() throws {
        let run = try hash("Password\n\nPassword\r\nPassword".utf8)
        #expect(run.status == 0 && run.error.isEmpty)
        #expect(run.output == "\(Self.ofPassword)\n\(Self.ofEmpty)\n\(Self.ofPassword)\n\(Self.ofPassword)\n")
        // With the mark of UTF-8, as Windows PowerShell writes files.
        #expect(try hash("\u{FEFF}Password\r\n".utf8).output == "\(Self.ofPassword)\n")
    }

    @Test("Letters beyond ASCII; the values come from impacket and pyspnego") func unicode() throws {
        let run = try hash("Grüße 山\u{1F600}\nпароль\n".utf8)
        #expect(run.output == "3ef0b24feb7f14e9ed475c6bbc6b688d\n507e3ee80df7db7c1fdd8d50ae8db606\n")
    }

    @Test("A secret among the arguments is not shown", arguments: [["s3cret"], ["s3cret", "two"], ["--", "s3cret"]])
    func strayArguments(_ stray: [String]) throws {
        let run = try SallyportRun(["ntlm", "hash"] + stray, input: "".utf8)
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.error.hasSuffix("see sallyport ntlm hash --help\n"))
        #expect(!run.error.contains("s3cret") && run.error.split(separator: "\n").count == 1)
    }

    @Test func nothingInNothingOut() throws {
        let run = try hash([])
        #expect(run.status == 0 && run.output.isEmpty && run.error.isEmpty)
    }

    @Test("A refused line yields an empty line, and its number is reported") func refusedLines()
        throws
    {
        let long = String(repeating: "x", count: 257)
        let longest = String(repeating: "x", count: 256)
        let endless = String(repeating: "y", count: 2_000_000)
        var input = [UInt8]("Password\n".utf8)
        input += [0x61, 0xff, 0x0a]
        input += [UInt8]("\(long)\n\(longest)\n\(endless)\nPassword\n\(endless)".utf8)
        let run = try hash(input)
        #expect(run.status == 2)
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 8 && lines[7].isEmpty)
        #expect(lines[0] == Self.ofPassword && lines[5] == Self.ofPassword && lines[3].count == 32)
        for index in [1, 2, 4, 6] { #expect(lines[index].isEmpty, "line \(index + 1)") }
        let errors = run.error.split(separator: "\n")
        #expect(errors.map { $0.split(separator: ":")[1] } == [" line 2", " line 3", " line 5", " line 7"])
        #expect(errors[0].contains("not UTF-8") && errors[1].contains("257 UTF-16 units"))
        #expect(!run.error.contains("xx") && !run.error.contains("yy"))
    }

    @Test func errorsAreBounded() throws {
        let run = try hash(repeatElement([0xff, 0x0a] as [UInt8], count: 1_000).joined())
        #expect(run.status == 2)
        #expect(run.output == String(repeating: "\n", count: 1_000))
        #expect(run.error.split(separator: "\n").count == 21)
        #expect(run.error.contains("980 more lines"))
    }

    @Test("Lines lie across the pieces in which they are read") func pieces() throws {
        // 3 MB in lines of three lengths, no multiple of which is a piece.
        let words = ["Password", "", String(repeating: "z", count: 233)]
        let run = try hash((0..<36_000).map { words[$0 % 3] }.joined(separator: "\n").utf8)
        #expect(run.status == 0)
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 36_000)
        let expected = [Self.ofPassword, Self.ofEmpty, "37220224d4555b449058ae0f02ed3c6f"]
        #expect(lines.indices.allSatisfy { lines[$0] == expected[$0 % 3] })
    }

    @Test func argumentsAreNoPasswords() throws {
        let run = try SallyportRun(["ntlm", "hash", "Password"])
        #expect(run.status == 2 && run.output.isEmpty)
    }
}
