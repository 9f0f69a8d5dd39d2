import HTTPTypes
import Sallyport
import Testing

@Suite struct FieldPairsTests {
    @Test("Fields keep order, repetition and bytes; what is no name is left out") func pairs() {
        let pairs = [
            (name: "WWW-Authenticate", value: "NTLM"), (name: "www-authenticate", value: "Basic realm=\"Gr\u{FC}n\""),
            (name: "not a name", value: "x"), (name: "", value: "x"), (name: "Content-Length", value: "0"),
        ]
        let fields = HTTPFields(pairs: pairs)
        #expect(fields.map(\.name.rawName) == ["WWW-Authenticate", "www-authenticate", "Content-Length"])
        #expect(fields[values: .wwwAuthenticate] == ["NTLM", "Basic realm=\"Gr\u{FC}n\""])
    }
}
