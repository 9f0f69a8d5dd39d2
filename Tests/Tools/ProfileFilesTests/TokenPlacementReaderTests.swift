import Foundation
import Sallyport
import Testing

@testable import ProfileFiles

/// Where a profile lets a token go, and what it is told of a place that cannot be.
@Suite struct TokenPlacementReaderTests {
    /// A profile whose second account has a token and these fields.
    private static func profile(_ fields: String, secret: String = "token: { file: secret }") -> String {
        ExampleProfile.minimal.replacing(
            "pins:\n  - host",
            with: "  - name: key\n    \(secret)\n    sites: [\"*.acme.example\"]\n\(fields)pins:\n  - host",
            maxReplacements: 1
        )
    }

    @Test(
        "A token has one place, beside another account of the same sites",
        arguments: [
            ("    field: X-API-Key\n", TokenPlacement(.field("X-API-Key"))),
            ("    query: key\n    cleartext: true\n", TokenPlacement(.query("key"))),
            (
                "    field: X-Esri-Authorization\n    referer: https://app.acme.example\n",
                TokenPlacement(.field("X-Esri-Authorization"), referer: "https://app.acme.example")
            ),
        ]
    )
    func placed(fields: String, placement: TokenPlacement) throws {
        let accounts = try ExampleProfile.read(Self.profile(fields)).accounts
        #expect(
            accounts.map(\.placement) == [nil, placement] && accounts[1].allowsCleartext == fields.contains("clear")
        )
    }

    @Test(
        "Each mistake names line, field and remedy",
        arguments: [
            ("    field: Cookie\n", "field", 14, "such as X-API-Key"),
            ("    field: 'X Key'\n", "field", 14, "is not the name of a field"),
            ("    query: 'a&b'\n", "query", 14, "is not the name of a query parameter"),
            ("    field: X-API-Key\n    query: key\n", "query", 15, "a token goes to one place"),
            ("    referer: https://app.acme.example\n", "referer", 14, "has no effect without 'field' or 'query'"),
            ("    field: X-API-Key\n    referer: http://app.acme.example\n", "referer", 15, "not an https URL"),
            ("    field: X-API-Key\n    schemes: [basic]\n", "schemes", 15, "answers no challenge: remove it"),
            ("    field: X-API-Key\n    in-advance: true\n", "in-advance", 15, "answers no challenge: remove it"),
        ]
    )
    func mistakes(fields: String, field: String, line: Int, problem: String) throws {
        let error = try #require(throws: ProfileFileError.self) { try ExampleProfile.read(Self.profile(fields)) }
        #expect(error.field == "accounts[1].\(field)" && error.line == line, "\(error)")
        #expect(error.problem.contains(problem) && !"\(error)".contains("Correct-Horse"), "\(error)")
    }

    @Test("A password has no place") func passwords() throws {
        let yaml = Self.profile("    user: key\n    field: X-API-Key\n", secret: "password: { file: secret }")
        let error = try #require(throws: ProfileFileError.self) { try ExampleProfile.read(yaml) }
        #expect(error.field == "accounts[1].field" && error.problem.contains("only a token can be placed"), "\(error)")
    }

    @Test("Two tokens for one place are told at the second one") func twoTokens() throws {
        let other =
            "  - name: other\n    token: { file: secret }\n    field: X-Other\n    sites: [\"*.acme.example\"]\n"
        let error = try #require(throws: ProfileFileError.self) {
            try ExampleProfile.read(Self.profile("    field: X-API-Key\n" + other))
        }
        #expect(error.field == "accounts[2]" && error.problem.contains("belongs to 'key' and 'other'"), "\(error)")
    }
}
