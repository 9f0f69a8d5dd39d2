public import HTTPTypes

extension HTTPFields {
    /// Fields from the names and values of another library, in their order.
    ///
    /// A name that is not a token cannot be a challenge field, and is left out.
    public init(pairs: some Sequence<(name: String, value: String)>) {
        self.init()
        for pair in pairs {
            if let name = HTTPField.Name(pair.name) { append(HTTPField(name: name, value: pair.value)) }
        }
    }
}
