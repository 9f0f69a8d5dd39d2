/// The bounds of heads and of the lines between chunks.
package enum HeadLimits {
    /// The most bytes of a head, with its empty line.
    package static let head = 65_536
    /// The most bytes of a request target.
    package static let target = 16_384
    /// The most bytes of a method.
    package static let method = 32
    /// The most fields of a request, or of its trailers.
    package static let fields = 128
    /// The most fields of a response, or of its trailers. curl 7.88 and Squid 5.7 count none, and take 5,001.
    package static let responseFields = 1_024
    /// The most bytes of what may stand beside a chunk's size: zeros before it, blanks and extensions after it.
    package static let chunkExtensions = 1024
    /// The most bytes of trailers.
    package static let trailers = 16_384
    /// The most decimal digits of the length of a request's body.
    package static let lengthDigits = 18
    /// The most interim responses before one response. A server may send 102 every few seconds while it works, and curl 7.88 and Squid 5.7
    /// count none.
    package static let interimResponses = 1_024
}
