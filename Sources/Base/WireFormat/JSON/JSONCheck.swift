/// Looks at a whole JSON text (RFC 8259) before a decoder reads it, for what decoders let pass.
///
/// Of two members with one name a decoder takes one silently; another reader takes the other one. In
/// `"enforce":false,"enforce":true` that decides whether pins hold at all, so a repeated name is an error here, as in YAML.
package enum JSONCheck {
    /// Reads all of `bytes`, which must be one value in UTF-8.
    ///
    /// - Complexity: O(*n*), and a set of the names of every object that is open.
    package static func check(_ bytes: Span<UInt8>) throws(JSONProblem) {
        var scanner = JSONScanner(startOf: bytes)
        try scanner.skipValue(bytes)
        scanner.skipSpace(bytes)
        guard scanner.position == bytes.count else { throw scanner.problem("the end of the text", bytes) }
    }
}

/// Why readers may not agree about a text of JSON, or why it is not JSON.
package struct JSONProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong.
    package enum Kind: Equatable, Sendable {
        /// Something else stands where this is due.
        case expected(String)
        /// An object has two members with this name.
        case repeatedName(String)
        /// Values are nested deeper than any reader takes.
        case nesting(limit: Int)
    }

    /// The line of the problem, counted from 1.
    package let line: Int
    /// What is wrong.
    package let kind: Kind

    /// What is wrong and what to do, without the line.
    package var problem: String {
        switch kind {
        case .expected(let what): "not JSON, because \(what) was expected: correct it"
        case .repeatedName(let name):
            // A name could be any text; what could steer a terminal, or is long, is not repeated.
            name.utf8.count <= 40 && name.utf8.allSatisfy { (0x20...0x7E).contains($0) }
                ? "'\(name)' stands twice in one object: keep one" : "a name stands twice in one object: keep one"
        case .nesting(let limit): "nested deeper than \(limit) levels: write it flatter"
        }
    }

    /// Where, what is wrong and what to do.
    package var description: String { "line \(line): \(problem)" }
}
