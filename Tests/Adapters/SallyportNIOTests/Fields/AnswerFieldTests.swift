import HTTPTypes
import NIOHTTP1
import SallyportNIO
import Testing

@Suite struct AnswerFieldTests {
    @Test("An answer replaces a field of the same name, in any case") func replaces() throws {
        var headers: HTTPHeaders = ["authorization": "Basic old", "Accept": "*/*"]
        try headers.replace(with: [HTTPField(name: .authorization, value: "Basic new")])
        #expect(headers["Authorization"] == ["Basic new"])
        #expect(headers.count == 2)
    }

    @Test("A value that is not UTF-8 is an error and not another value") func bytes() {
        var headers: HTTPHeaders = ["Authorization": "Basic old"]
        let field = HTTPField(name: .authorization, value: [UInt8]([0x44, 0xE9]))
        let error = #expect(throws: UnsendableField.self) { try headers.replace(with: [field]) }
        // The user name of a Digest answer is UTF-8, whatever the challenge has.
        let text = error.map { "\($0)" } ?? ""
        #expect(text.hasPrefix("Authorization: the answer must repeat the realm, nonce or opaque of the challenge"))
        #expect(!text.contains("user name"))
        #expect(headers["Authorization"] == ["Basic old"])
    }

    @Test("Fields keep their order and number") func fields() {
        let fields = HTTPFields(["WWW-Authenticate": "NTLM", "X": "1", "www-authenticate": "Basic realm=\"x\""])
        #expect(fields[values: .wwwAuthenticate] == ["NTLM", "Basic realm=\"x\""])
        #expect(fields.count == 3)
    }
}
