"""HTTP/2 over one TLS connection: one request at a time, as far as the recording needs it."""

import h2.config
import h2.connection
import h2.events
from OpenSSL import SSL


class Session:
    """A connection whose server speaks HTTP/2."""

    def __init__(self, tls: SSL.Connection) -> None:
        self._tls = tls
        self._session = h2.connection.H2Connection(config=h2.config.H2Configuration(header_encoding="utf-8"))
        self._session.initiate_connection()
        self._flush()

    def request(
        self, method: str, target: str, fields: list[tuple[str, str]], body: bytes
    ) -> tuple[int, list[tuple[str, str]]]:
        """Status and header fields of the response; its body is read and dropped."""
        host = next(value for name, value in fields if name == "Host")
        pseudo = [(":method", method), (":scheme", "https"), (":authority", host), (":path", target)]
        others = [(name.lower(), value) for name, value in fields if name != "Host"]
        stream = self._session.get_next_available_stream_id()
        self._session.send_headers(stream, pseudo + others, end_stream=not body)
        if body:
            self._session.send_data(stream, body, end_stream=True)
        self._flush()
        head: list[tuple[str, str]] = []
        while True:
            data = self._tls.recv(65536)
            for event in self._session.receive_data(data):
                if isinstance(event, h2.events.ResponseReceived):
                    head = list(event.headers)
                elif isinstance(event, h2.events.DataReceived):
                    self._session.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, (h2.events.StreamReset, h2.events.ConnectionTerminated)):
                    raise ConnectionError("the server ended the stream")
                elif isinstance(event, h2.events.StreamEnded):
                    self._flush()
                    return int(dict(head)[":status"]), [pair for pair in head if not pair[0].startswith(":")]
            self._flush()

    def _flush(self) -> None:
        if data := self._session.data_to_send():
            self._tls.sendall(data)
