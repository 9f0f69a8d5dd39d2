/// A name as RFC 4514 writes it, with the numbers of its attribute types in place of their short names.
///
/// Values are left alone: a `,` or `+` in one stands behind a backslash.
func numbered(_ name: String) -> String {
    // RFC 4514 section 3.
    let numbers = [
        "CN": "2.5.4.3", "L": "2.5.4.7", "ST": "2.5.4.8", "O": "2.5.4.10", "OU": "2.5.4.11", "C": "2.5.4.6",
        "STREET": "2.5.4.9", "DC": "0.9.2342.19200300.100.1.25", "UID": "0.9.2342.19200300.100.1.1",
    ]
    var result = ""
    var type = ""
    var isInType = true
    var isEscaped = false
    for character in name {
        if isInType {
            guard character == "=" else {
                type.append(character)
                continue
            }
            result += "\(numbers[type] ?? type)="
            (type, isInType) = ("", false)
        } else {
            result.append(character)
            isInType = !isEscaped && (character == "," || character == "+")
            isEscaped = !isEscaped && character == "\\"
        }
    }
    return result + type
}
