/// The calls of `add` in source text of Kotlin or Java, with their arguments, which are literal texts.
///
/// Where the text names `CertificatePinner`, only the calls from its `Builder` to the next `build` count. Other text has
/// calls alone.
struct BuilderCalls {
    struct Call: Equatable {
        /// The line of its name, from 1.
        let number: Int
        let arguments: [String]
    }

    private enum Token: Equatable {
        case name(String)
        case text(String)
        case mark(UInt8)
    }

    /// The upper bound of tokens: some 500,000 calls.
    static let mostTokens = 1 << 22

    /// Whether `text` has a call of `add`, or names the type.
    static func isCode(_ text: [UInt8]) -> Bool {
        var scan = BuilderCalls(text)
        var isAfterName = false
        // Lines of hosts and pins are not code, so the scan may fail on them without a defect.
        while let (token, _) = try? scan.next() {
            if token == .name("CertificatePinner") || isAfterName && token == .mark(UInt8(ascii: "(")) { return true }
            isAfterName = token == .name("add")
        }
        return false
    }

    /// The calls in `text`, in their order.
    static func read(_ text: [UInt8]) throws(PinFormatError) -> [Call] {
        var scan = BuilderCalls(text)
        var tokens: [(token: Token, number: Int)] = []
        while let token = try scan.next() {
            guard tokens.count < mostTokens else {
                throw .malformed(place: wholeText, problem: "more than \(mostTokens) words and signs; split it")
            }
            tokens.append(token)
        }
        let isProgram = tokens.contains { $0.token == .name("CertificatePinner") }
        var isInside = !isProgram
        var calls: [Call] = []
        var index = 0
        while index < tokens.count {
            let (token, number) = tokens[index]
            index += 1
            switch token {
            // An import names the type too, and other calls of `add` may follow it.
            case .name("CertificatePinner"):
                if tokens[index...].prefix(2).map(\.token) == [.mark(UInt8(ascii: ".")), .name("Builder")] {
                    isInside = true
                }
            case .name("build") where isProgram: isInside = false
            case .name("add") where isInside && index < tokens.count && tokens[index].token == .mark(UInt8(ascii: "(")):
                index += 1
                calls.append(try call(tokens, &index, number))
            case .mark
            where isInside && !isProgram && token != .mark(UInt8(ascii: ".")) && token != .mark(UInt8(ascii: ";")),
                .name where isInside && !isProgram, .text where isInside && !isProgram:
                throw .malformed(
                    place: "line \(number)",
                    problem: "expected .add(\"host.example\", \"sha256/…\") alone"
                )
            default: break
            }
        }
        return calls
    }

    /// Reads from behind the parenthesis of a call to its end. Kotlin allows a comma before the end.
    private static func call(
        _ tokens: [(token: Token, number: Int)],
        _ index: inout Int,
        _ number: Int
    ) throws(PinFormatError) -> Call {
        var arguments: [String] = []
        while index < tokens.count {
            let (token, line) = tokens[index]
            index += 1
            if token == .mark(UInt8(ascii: ")")), !arguments.isEmpty {
                return Call(number: number, arguments: arguments)
            }
            guard case .text(let text) = token, index < tokens.count else {
                throw .malformed(
                    place: "line \(line)",
                    problem: "an argument that is not a literal text: write host and pins as texts in quotes"
                )
            }
            arguments.append(text)
            let next = tokens[index].token
            if next == .mark(UInt8(ascii: ",")) {
                index += 1
            } else if next != .mark(UInt8(ascii: ")")) {
                throw .malformed(
                    place: "line \(tokens[index].number)",
                    problem: "an argument that is not one literal text: write host and pins as texts in quotes"
                )
            }
        }
        throw .malformed(place: "line \(number)", problem: "the parenthesis of this call is not closed")
    }

    private let bytes: [UInt8]
    private var position = 0
    private var number = 1

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    private mutating func next() throws(PinFormatError) -> (token: Token, number: Int)? {
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: " ") || (9...13).contains(byte) {
                advance()
            } else if starts("//") || byte == UInt8(ascii: "#") {
                while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { advance() }
            } else if starts("/*") {
                let first = number
                while position < bytes.count, !starts("*/") { advance() }
                guard position < bytes.count else {
                    throw .malformed(place: "line \(first)", problem: "a comment is not closed")
                }
                position += 2
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                let first = number
                return (.text(try text()), first)
            } else if Self.isNamePart(byte) {
                let start = position
                while position < bytes.count, Self.isNamePart(bytes[position]) { position += 1 }
                return (.name(String(decoding: bytes[start..<position], as: UTF8.self)), number)
            } else {
                position += 1
                return (.mark(byte), number)
            }
        }
        return nil
    }

    /// A text in single or double quotes, or in three, which Kotlin and Java have for texts of several lines.
    private mutating func text() throws(PinFormatError) -> String {
        let first = number
        let quote = starts("\"\"\"") ? "\"\"\"" : starts("'") ? "'" : "\""
        position += quote.utf8.count
        let start = position
        while position < bytes.count, !starts(quote), quote.utf8.count > 1 || bytes[position] != UInt8(ascii: "\n") {
            if bytes[position] == UInt8(ascii: "\\"), position + 1 < bytes.count { advance() }
            advance()
        }
        guard starts(quote) else { throw .malformed(place: "line \(first)", problem: "a quote is not closed") }
        defer { position += quote.utf8.count }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func advance() {
        if bytes[position] == UInt8(ascii: "\n") { number += 1 }
        position += 1
    }

    private func starts(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...0xFF: true
        default: false
        }
    }
}
