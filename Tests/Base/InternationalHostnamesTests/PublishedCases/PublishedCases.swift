import Foundation
import Testing

/// One published case: a text, and the host that it names, or that it names none.
struct PublishedCase: Equatable {
    let input: String
    let host: String?
}

/// Case files of WHATWG URL and UTS #46, read from `.build/published-cases`, where `.ci/published-cases` puts them.
///
/// They are not shipped: `urltestdata.json` and `toascii.json` are in `url/resources` of web-platform-tests,
/// `IdnaTestV2.txt` is published with each version of UTS #46.
enum PublishedCases {
    static let areMissing: Comment = ".ci/published-cases .build/published-cases has not been run"

    static func has(_ file: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: file).path(percentEncoded: false))
    }

    /// The cases of `urltestdata.json` whose input begins with `http:` or `https:`, each input once.
    ///
    /// `http:x` is relative to some bases and absolute with others; we know no base, so its host is what counts.
    static func urls() throws -> [PublishedCase] {
        var cases: [PublishedCase] = []
        var positions: [String: Int] = [:]
        for object in try objects(in: "urltestdata.json") {
            guard let input = object["input"] as? String, isAbsolute(input) else { continue }
            let published = PublishedCase(input: input, host: object["hostname"] as? String)
            if let position = positions[input] {
                if published.host != nil { cases[position] = published }
            } else {
                positions[input] = cases.count
                cases.append(published)
            }
        }
        return cases
    }

    /// The cases of `toascii.json`.
    static func domains() throws -> [PublishedCase] {
        try objects(in: "toascii.json").compactMap { object in
            guard let input = object["input"] as? String else { return nil }
            return PublishedCase(input: input, host: object["output"] as? String)
        }
    }

    /// The cases of `IdnaTestV2.txt`, as its columns 4 and 5 (toAsciiN and its status) say.
    static func names() throws -> [PublishedCase] {
        let text = String(decoding: try data("IdnaTestV2.txt"), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).compactMap { line in
            // As scalars: some of them join with the separator behind them to one character.
            let content = line.unicodeScalars.prefix { $0 != "#" }
            let columns = content.split(separator: ";", omittingEmptySubsequences: false).map {
                String($0).trimmingCharacters(in: .whitespaces)
            }
            guard columns.count >= 5 else { return nil }
            let source = unescaped(columns[0])
            // A blank column has the value of the one before it; "" is the empty text.
            let unicode = columns[1].isEmpty ? source : unescaped(columns[1])
            let status = columns[4].isEmpty ? columns[2] : columns[4]
            let ascii = columns[3].isEmpty ? unicode : unescaped(columns[3])
            let isRight = status.isEmpty || status == "[]"
            return PublishedCase(input: source, host: isRight ? ascii : nil)
        }
    }

    /// In the root of the repository.
    private static let folder = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        .appending(path: ".build/published-cases")

    private static func data(_ file: String) throws -> Data {
        try Data(contentsOf: folder.appending(path: file))
    }

    private static func objects(in file: String) throws -> [[String: Any]] {
        let cases = try JSONSerialization.jsonObject(with: try data(file)) as? [Any]
        return try #require(cases).compactMap { $0 as? [String: Any] }
    }

    /// White space and controls before a URL are for a parser to judge.
    private static func isAbsolute(_ input: String) -> Bool {
        let text = input.unicodeScalars.drop { $0.value <= 0x20 }.prefix(6).map(String.init).joined().lowercased()
        return text.hasPrefix("http:") || text.hasPrefix("https:")
    }

    /// `\uXXXX` and `\x{XXXX}`, as the head of `IdnaTestV2.txt` describes them.
    private static func unescaped(_ text: String) -> String {
        if text == "\"\"" { return "" }
        let pattern = /\\u([0-9A-Fa-f]{4})|\\x\{([0-9A-Fa-f]+)\}/
        var units: [UInt16] = []
        var rest = text[...]
        while let match = rest.firstMatch(of: pattern) {
            units += rest[..<match.range.lowerBound].utf16
            let digits = match.output.1 ?? match.output.2 ?? ""
            if let value = UInt32(digits, radix: 16) {
                // Surrogates come as two escapes, so they are put together as UTF-16.
                if let scalar = Unicode.Scalar(value) {
                    units += String(Character(scalar)).utf16
                } else {
                    units.append(UInt16(truncatingIfNeeded: value))
                }
            }
            rest = rest[match.range.upperBound...]
        }
        return String(decoding: units + Array(rest.utf16), as: UTF16.self)
    }
}
