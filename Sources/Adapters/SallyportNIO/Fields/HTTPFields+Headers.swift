public import HTTPTypes
public import NIOHTTP1
internal import Sallyport

extension HTTPFields {
    /// The fields of a NIO message, in their order.
    ///
    /// NIO replaces bytes that are not UTF-8. The handler refuses a challenge whose answer would need them.
    public init(_ headers: HTTPHeaders) {
        self.init(pairs: headers.lazy.map { (name: $0.name, value: $0.value) })
    }
}
