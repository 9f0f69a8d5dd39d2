/// The marks of a chart, in the units of its view box. This type escapes all texts; callers do not.
package struct SVG {
    package private(set) var marks = ""

    package init() {}

    /// Escapes a text for HTML or SVG.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default:
                // HTML does not allow control characters, and the texts of a recording are untrusted.
                result.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
            }
        }
        return result
    }

    /// The text, or its beginning and an ellipsis if it has more than `length` characters.
    package static func shortened(_ text: String, to length: Int) -> String {
        text.count <= length ? text : text.prefix(length - 1) + "…"
    }

    /// A number with at most two decimal places.
    package static func number(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let sign = hundredths < 0 ? "-" : ""
        let (whole, rest) = abs(hundredths).quotientAndRemainder(dividingBy: 100)
        if rest == 0 { return "\(sign)\(whole)" }
        return sign + (rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)")
    }

    package mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) {
        marks += "<line class=\"\(style)\" x1=\"\(Self.number(x1))\" y1=\"\(Self.number(y1))\" "
        marks += "x2=\"\(Self.number(x2))\" y2=\"\(Self.number(y2))\"/>\n"
    }

    package mutating func text(_ x: Double, _ y: Double, _ text: String, _ style: String = "", anchor: String = "start")
    {
        marks += "<text class=\"\(style)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" text-anchor=\"\(anchor)\">"
        marks += Self.escaped(text) + "</text>\n"
    }

    package mutating func circle(_ x: Double, _ y: Double, _ radius: Double, _ style: String, title: String = "") {
        marks +=
            "<circle class=\"\(style)\" cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"\(Self.number(radius))\">"
        marks += "<title>\(Self.escaped(title))</title></circle>\n"
    }

    package mutating func path(
        _ points: [(x: Double, y: Double)],
        _ style: String,
        title: String = "",
        isClosed: Bool = false
    ) {
        let steps = points.enumerated().map { index, point in
            "\(index == 0 ? "M" : "L")\(Self.number(point.x)) \(Self.number(point.y))"
        }
        marks += "<path class=\"\(style)\" d=\"\(steps.joined())\(isClosed ? "Z" : "")\">"
        marks += "<title>\(Self.escaped(title))</title></path>\n"
    }

    /// The SVG element, with a title and a description for screen readers.
    package func figure(id: String, width: Double, height: Double, title: String, description: String) -> String {
        """
        <svg role="img" aria-labelledby="\(id)-t \(id)-d" viewBox="0 0 \(Self.number(width)) \(Self.number(height))">
        <title id="\(id)-t">\(Self.escaped(title))</title>
        <desc id="\(id)-d">\(Self.escaped(description))</desc>
        \(marks)</svg>

        """
    }
}
