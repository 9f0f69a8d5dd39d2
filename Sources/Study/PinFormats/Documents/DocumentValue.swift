internal import Foundation
internal import WireFormat

/// A value of JSON or of a property list, with the types that files of pins use.
indirect enum DocumentValue: Decodable, Encodable {
    case object([String: DocumentValue])
    case array([DocumentValue])
    case text(String)
    case number(Int64)
    case boolean(Bool)
    case other

    init(json text: [UInt8]) throws(PinFormatError) {
        do throws(JSONProblem) {
            try JSONCheck.check(text.span)
        } catch {
            throw .malformed(place: "line \(error.line)", problem: error.problem)
        }
        do {
            // The decoder refuses nesting beyond 512 levels by itself.
            self = try JSONDecoder().decode(Self.self, from: Data(text))
        } catch {
            throw .malformed(place: wholeText, problem: "not JSON; give JSON")
        }
    }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let object = try? value.decode([String: DocumentValue].self) {
            self = .object(object)
        } else if let array = try? value.decode([DocumentValue].self) {
            self = .array(array)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let boolean = try? value.decode(Bool.self) {
            self = .boolean(boolean)
        } else if let number = try? value.decode(Int64.self) {
            self = .number(number)
        } else {
            self = .other
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .object(let object): try container.encode(object)
        case .array(let array): try container.encode(array)
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .boolean(let boolean): try container.encode(boolean)
        case .other: try container.encodeNil()
        }
    }

    /// Indented JSON with sorted keys, so that equal documents are equal texts.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Texts, numbers and containers of them: encoding cannot fail.
        let data = (try? encoder.encode(self)) ?? Data()
        return JSONText.escaped(json: data.span) + "\n"
    }

    func object(at place: String) throws(PinFormatError) -> [String: DocumentValue] {
        guard case .object(let object) = self else {
            throw .malformed(place: place, problem: "expected keys and values")
        }
        return object
    }

    func array(at place: String) throws(PinFormatError) -> [DocumentValue] {
        guard case .array(let array) = self else { throw .malformed(place: place, problem: "expected a list") }
        return array
    }

    func text(at place: String) throws(PinFormatError) -> String {
        guard case .text(let text) = self else { throw .malformed(place: place, problem: "expected a text") }
        return text
    }

    func boolean(at place: String) throws(PinFormatError) -> Bool {
        switch self {
        case .boolean(let boolean): return boolean
        // Property lists made by hand have YES and NO as texts.
        case .text("YES"), .text("true"): return true
        case .text("NO"), .text("false"): return false
        default: throw .malformed(place: place, problem: "expected true or false")
        }
    }

    func seconds(at place: String) throws(PinFormatError) -> Int64 {
        try Calendar.seconds(try text(at: place), at: place)
    }
}

extension DocumentValue {
    /// The members of the object at `key`, sorted by name; in an Info.plist, `key` is a member of `wrapper`.
    func entries(of key: String, in wrapper: String) throws(PinFormatError) -> [(String, DocumentValue)] {
        var root = try object(at: wholeText)
        if let inside = root[wrapper] { root = try inside.object(at: wrapper) }
        guard let entries = root[key] else { throw .malformed(place: wholeText, problem: "expected '\(key)'") }
        return try entries.object(at: key).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
