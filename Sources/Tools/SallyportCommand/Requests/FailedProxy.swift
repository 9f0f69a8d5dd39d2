internal import HTTPTypes
internal import SallyportNIO
internal import WireFormat

/// What a response says of a proxy that made it itself, so that the server is not blamed for it.
enum FailedProxy {
    /// The problem and whom to ask; `nil` if the response may be the server's.
    ///
    /// - Parameter reason: the reason phrase.
    static func text(_ reason: String, _ fields: HTTPFields) -> String? {
        if let text = RelayMarker.text(of: reason) { return "the relay says: \(text)" }
        guard let name = HTTPField.Name("Proxy-Status"), let value = fields[name], let failure = failure(in: value)
        else { return nil }
        return
            "the proxy \(VisibleText.name(failure.proxy)) did not get a response from the server (\(VisibleText.name(failure.error))): "
            + "try again later, or ask who runs the proxy"
    }

    /// The last party that reports an error of its own (RFC 9209 section 2.1.1); it is the nearest one.
    private static func failure(in value: String) -> (proxy: String, error: String)? {
        for member in parts(of: value, at: ",").reversed() {
            let items = parts(of: member, at: ";")
            let error = items.dropFirst().first { $0.hasPrefix("error=") }
            if let error, let proxy = items.first { return (unquoted(proxy), unquoted(String(error.dropFirst(6)))) }
        }
        return nil
    }

    /// The parts between separators outside of strings, without the blanks around them.
    private static func parts(of text: String, at separator: Character) -> [String] {
        var parts = [""]
        var (isQuoted, isEscaped) = (false, false)
        for character in text {
            if character == separator, !isQuoted {
                parts.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
            parts[parts.count - 1].append(character)
        }
        return parts.map { part in
            String(part.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
        }
    }

    private static func unquoted(_ text: String) -> String {
        text.count > 1 && text.hasPrefix("\"") && text.hasSuffix("\"") ? String(text.dropFirst().dropLast()) : text
    }
}
