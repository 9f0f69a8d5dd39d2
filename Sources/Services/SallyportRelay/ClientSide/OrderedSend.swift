internal import Sallyport

/// A send that the flow of a request has ordered.
///
/// An object, because a ``RequestSending`` has some four hundred bytes, and most requests are sent without one.
final class OrderedSend {
    let sending: RequestSending

    init(_ sending: RequestSending) { self.sending = sending }
}
