import CredentialSources
import Hostnames
import Secrets
import TestSupport
import Testing

/// Parsers answer every input with a value or an error.
@Suite struct MutationTests {
    private static let netrc = """
        # a comment
        machine a.example login "two \\"words\\"" password b\\c account d
        macdef init
        cd /

        machine b.example login jdöe password "p\\n"
        default login guest password guest

        """
    private static let message = """
        capability[]=authtype
        protocol=https
        host=[::1]:8443
        path=a/b
        username=jdöe
        password=sécret
        password_expiry_utc=1900000000
        quit=0


        """

    /// Changes, removes and repeats bytes; favours those that mean something.
    private func mutated(_ text: String, _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(text.utf8)
        let meaningful = Array("\n\r\t \"\\#=\0[]:".utf8) + [0x7F, 0xC3, 0xFF]
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes = Array(bytes.prefix(place))
            case 1 where place < bytes.count: bytes.remove(at: place)
            case 2 where place < bytes.count:
                let end = min(bytes.count, place + Int.random(in: 1...20, using: &generator))
                bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &generator))
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
            default: bytes.insert(meaningful.randomElement(using: &generator) ?? 0, at: place)
            }
        }
        return bytes
    }

    @Test(
        "Damaged inputs end in a value or an error, and a value is written as it was read",
        arguments: [1, 2] as [UInt64]
    )
    func mutations(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let host = try Hostname(parsing: "a.example")
        var (accepted, refused) = (0, 0)
        for _ in 0..<1000 {
            let file = mutated(Self.netrc, &generator)
            do throws(NetrcError) {
                let found = try NetrcFile(parsing: file.span, file: "netrc")
                _ = found.entry(for: host)
                accepted += 1
            } catch {
                refused += 1
                #expect(error.line.map { $0 >= 1 && $0 <= file.count(where: { $0 == 0x0A }) + 1 } ?? true)
            }
            let bytes = mutated(Self.message, &generator)
            do throws(GitCredentialError) {
                let found = try GitCredentialMessage(parsing: bytes.span, from: "git")
                let text = try found.encoded(for: "git")
                let again = try text.withBytes { bytes throws(GitCredentialError) in
                    try GitCredentialMessage(parsing: bytes, from: "git")
                }
                #expect(again.host == found.host && again.user == found.user && again.path == found.path)
                #expect(again.password?.text == found.password?.text && again.quits == found.quits)
                accepted += 1
            } catch {
                refused += 1
            }
        }
        #expect(accepted > 100 && refused > 100)
    }
}
