/// Paths as text: what a rule means, said with string searches.
enum NaivePath {
    /// Whether servers may disagree about what `path` names.
    static func isDoubtful(_ path: String) -> Bool {
        let path = withoutQuery(path)
        if path.isEmpty { return false }
        if !path.hasPrefix("/") { return true }
        if path.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value >= 0x7f || $0 == "\\" }) { return true }
        let escapes = path.components(after: "%")
        if escapes.contains(where: { $0.count < 2 || !$0.prefix(2).allSatisfy(\.isHexDigit) }) { return true }
        let lower = path.lowercased()
        let hidden = ["2f", "5c", "25", "3f", "23", "3b", "7f", "c0", "c1"]
        if hidden.contains(where: { lower.contains("%" + $0) }) { return true }
        if (0..<32).contains(where: { lower.contains("%" + hex($0)) }) { return true }
        if (0xf5...0xff).contains(where: { lower.contains("%" + hex($0)) }) { return true }
        if (0x80...0x9f).contains(where: { lower.contains("%e0%" + hex($0)) }) { return true }
        if (0x80...0x8f).contains(where: { lower.contains("%f0%" + hex($0)) }) { return true }
        let segments = lower.replacing("%2e", with: ".").split(separator: "/", omittingEmptySubsequences: false)
            .dropFirst()
        for (index, segment) in segments.enumerated() {
            let name = segment.split(separator: ";", omittingEmptySubsequences: false).first ?? ""
            if name == "." || name == ".." { return true }
            if name.isEmpty, segment.contains(";") || index < segments.count - 1 { return true }
        }
        return false
    }

    /// How many segments a rule's path names.
    static func length(ofRule path: String?) -> Int {
        (path ?? "").split(separator: "/").count
    }

    /// Whether an allowing rule with this path covers the request.
    static func isCertainlyCovered(_ request: String, byRule rule: String) -> Bool {
        if rule == "/" { return true }
        if isDoubtful(request) { return false }
        let (request, rule) = (normalised(withoutQuery(request)), normalised(rule))
        if rule.hasSuffix("/") { return request.hasPrefix(rule) }
        return request == rule || request.hasPrefix(rule + "/")
    }

    /// Whether an exception with this path covers the request.
    static func isPossiblyCovered(_ request: String, byRule rule: String) -> Bool {
        if rule == "/" || isDoubtful(request) { return true }
        let wanted = rule.split(separator: "/").map { decoded(String($0)) }
        let found = withoutQuery(request).split(separator: "/").map { segment in
            decoded(String(segment.prefix(while: { $0 != ";" })))
        }
        return found.count >= wanted.count && Array(found.prefix(wanted.count)) == wanted
    }

    private static func withoutQuery(_ path: String) -> String {
        String(path.prefix { $0 != "?" && $0 != "#" })
    }

    private static func hex(_ value: Int) -> String {
        (value < 16 ? "0" : "") + String(value, radix: 16)
    }

    /// Unreserved characters decoded, all other escapes in upper case.
    private static func normalised(_ text: String) -> String {
        let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        var result = String(text.prefix { $0 != "%" })
        for piece in text.components(after: "%") {
            let digits = String(piece.prefix(2))
            let character = UInt8(digits, radix: 16).map { Character(UnicodeScalar($0)) } ?? "?"
            result +=
                (unreserved.contains(character) ? String(character) : "%" + digits.uppercased()) + piece.dropFirst(2)
        }
        return result
    }

    /// Every escape decoded.
    private static func decoded(_ text: String) -> [UInt8] {
        var result = Array(text.prefix { $0 != "%" }.utf8)
        for piece in text.components(after: "%") {
            result.append(UInt8(piece.prefix(2), radix: 16) ?? 0)
            result += piece.dropFirst(2).utf8
        }
        return result
    }
}

extension String {
    /// The pieces that follow each `separator`; what stands before the first one is left out.
    fileprivate func components(after separator: Character) -> [Substring] {
        Array(split(separator: separator, omittingEmptySubsequences: false).dropFirst())
    }
}
