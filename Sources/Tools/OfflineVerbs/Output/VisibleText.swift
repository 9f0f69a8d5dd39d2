internal import WireFormat

extension String {
    /// The text with its control and format characters spelt out, so that text from a file cannot control a terminal or
    /// reverse the direction of the text beside it. Line feeds and tabs stay.
    package var withVisibleControls: String {
        var result = ""
        for scalar in unicodeScalars {
            switch (scalar, scalar.properties.generalCategory) {
            // A byte of a file's name that is not UTF-8.
            case _ where SystemPath.byte(of: scalar) != nil: result += "\\x\(String(scalar.value & 0xFF, radix: 16))"
            case ("\n", _), ("\t", _): result.unicodeScalars.append(scalar)
            case (_, .control), (_, .format): result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The same text in one line, for names and texts from files, which must not add lines to a message.
    package var inOneLine: String {
        var result = ""
        for scalar in withVisibleControls.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
