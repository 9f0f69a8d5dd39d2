internal import SallyportNIO

/// The bounds of heads and of the lines between chunks.
enum HeadLimits {
    /// The most bytes of a head, with its empty line.
    static let head = 65_536
    /// The most bytes of a request target.
    static let target = 16_384
    /// The most bytes of a method.
    static let method = 32
    /// The most fields of a head or of trailers.
    static let fields = 128
    /// The most bytes of the extensions of one chunk.
    static let chunkExtensions = 1024
    /// The most bytes of trailers.
    static let trailers = 16_384
    /// The most hexadecimal digits of a chunk's size.
    static let chunkDigits = 15
    /// The most decimal digits of a length.
    static let lengthDigits = 18
    /// The most interim responses before one response.
    static let interimResponses = ResponseLimits.interimResponses
}
