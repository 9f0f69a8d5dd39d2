import Foundation
import TestSupport
import Testing
import WireFormat

/// A line of `Helpers/WeakKeys/weak-keys.tsv`: a key, and the weaknesses that its maker put in.
struct WeakKeyFixture: Sendable, CustomTestStringConvertible {
    let name: String
    let expected: [String]
    let subjectPublicKeyInfo: [UInt8]

    var testDescription: String { name }

    static func all() throws -> [WeakKeyFixture] {
        let text = try String(contentsOf: HelperFile.url("WeakKeys/weak-keys.tsv"), encoding: .utf8)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            try #require(fields.count == 3)
            return WeakKeyFixture(
                name: String(fields[0]),
                expected: fields[1].split(separator: " ").map(String.init).sorted(),
                subjectPublicKeyInfo: try Hexadecimal.decode(fields[2])
            )
        }
    }
}
