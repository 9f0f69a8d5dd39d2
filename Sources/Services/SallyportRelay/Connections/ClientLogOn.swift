internal import ClientAuthentication
internal import HTTP1
internal import HTTPTypes
internal import NIOCore

/// The log-on of a client at the relay. An object of its own, because most relays ask their clients for none.
final class ClientLogOn {
    var connection: ClientAuthentication.ClientConnection
    /// Who the client is, from the first request with which it is let in.
    var client: AuthenticatedClientName?
    /// The fields that show the client that the relay knows its password.
    var proof: HTTPFields?
    /// The present request, while the directory is asked about its client.
    var admission: Admission?
    var questionNumber = 0

    init(_ connection: ClientAuthentication.ClientConnection) { self.connection = connection }
}

/// A request whose client is being authenticated.
final class Admission {
    let head: RequestHead
    let bytes: ByteBuffer
    let question: ClientQuestion
    let call: Task<Void, Never>

    init(_ head: RequestHead, _ bytes: ByteBuffer, _ question: ClientQuestion, _ call: Task<Void, Never>) {
        (self.head, self.bytes, self.question, self.call) = (head, bytes, question, call)
    }
}
