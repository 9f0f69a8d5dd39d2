internal import Yams

/// A YAML node with its file and field path, so that every error names line and field.
struct ProfileNode {
    let path: String
    let field: String
    private let node: Node

    init(path: String, field: String, node: Node) {
        self.path = path
        self.field = field
        self.node = node
    }

    func error(_ problem: String) -> ProfileFileError {
        ProfileFileError(path: path, line: node.mark?.line, field: field.isEmpty ? nil : field, problem: problem)
    }

    /// The fields of a mapping. A field that is not in `known` is an error, so that a misspelt field is not ignored.
    ///
    /// With `isSecret` the error does not repeat the unknown field, because it may be the password itself.
    func mapping(known: [String], isSecret: Bool = false) throws(ProfileFileError) -> [String: ProfileNode] {
        guard let fields else { throw error("expected fields, one a line: \(list(known))") }
        var found: [String: ProfileNode] = [:]
        for (name, line, value) in fields {
            guard known.contains(name) else {
                let problem = "unknown field: remove it, or choose from \(list(known))"
                throw ProfileFileError(path: path, line: line, field: isSecret ? field : value.field, problem: problem)
            }
            found[name] = value
        }
        return found
    }

    /// The fields of a mapping in the order of the file, each with the line of its name; `nil` for another node.
    var fields: [(name: String, line: Int?, value: ProfileNode)]? {
        guard case .mapping(let mapping) = node else { return nil }
        return mapping.map { key, value in
            let name = key.string ?? ""
            let child = ProfileNode(path: path, field: field.isEmpty ? name : "\(field).\(name)", node: value)
            return (name, key.mark?.line ?? value.mark?.line, child)
        }
    }

    var isMapping: Bool {
        guard case .mapping = node else { return false }
        return true
    }

    var isSequence: Bool {
        guard case .sequence = node else { return false }
        return true
    }

    /// The line on which the node begins, from 1.
    var line: Int? { node.mark?.line }

    /// Whether the node is a mapping with a field of this name.
    func has(_ name: String) -> Bool {
        guard case .mapping(let mapping) = node else { return false }
        return mapping[name] != nil
    }

    /// The elements of a sequence.
    func sequence() throws(ProfileFileError) -> [ProfileNode] {
        guard case .sequence(let sequence) = node else { throw error("expected a list") }
        guard sequence.count <= ProfileReader.maximumElements else {
            throw error("more than \(ProfileReader.maximumElements) elements: remove some")
        }
        return sequence.enumerated().map { ProfileNode(path: path, field: "\(field)[\($0)]", node: $1) }
    }

    /// The text of a scalar.
    func text(mayBeEmpty: Bool = false) throws(ProfileFileError) -> String {
        // YAML reads `~`, and a field without a value, as null and not as text.
        guard node.null == nil else {
            throw error(mayBeEmpty ? "expected a text; '' says that there is none" : "expected a text")
        }
        guard let text = node.string, mayBeEmpty || !text.isEmpty else { throw error("expected a text") }
        return text
    }

    func texts() throws(ProfileFileError) -> [String] {
        var texts: [String] = []
        for element in try sequence() { texts.append(try element.text()) }
        return texts
    }

    func boolean() throws(ProfileFileError) -> Bool {
        guard let value = node.bool else { throw error("expected true or false") }
        return value
    }

    func integer() throws(ProfileFileError) -> Int {
        guard let value = node.int else { throw error("expected a whole number") }
        return value
    }

    private func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

extension [String: ProfileNode] {
    /// The field called `name`, which `parent` must have.
    func required(_ name: String, in parent: ProfileNode) throws(ProfileFileError) -> ProfileNode {
        guard let node = self[name] else { throw parent.error("the field '\(name)' is missing: add it") }
        return node
    }
}
