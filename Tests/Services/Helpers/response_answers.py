#!/usr/bin/env python3
"""What curl, and curl through Squid, make of responses in forms that a recipient may accept or refuse (RFC 9112).

    response_answers.py [NAME=PORT…]    proxies on 127.0.0.1; a Squid has `server_persistent_connections off`

Prints a line of JSON for each response: its name, and for curl alone (`curl`) and through each proxy curl's exit status, the status
of the response and the body.
"""

import json
import socket
import subprocess
import sys
import threading
import time

CASES = {
    'blank before colon, length': b'HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok',
    'blank before colon, other': b'HTTP/1.1 200 OK\r\nX-A : b\r\nContent-Length: 2\r\n\r\nok',
    'tab before colon': b'HTTP/1.1 200 OK\r\nX-A\t: b\r\nContent-Length: 2\r\n\r\nok',
    'LF alone, one line': b'HTTP/1.1 200 OK\r\nX: y\nContent-Length: 2\r\n\r\nok',
    'LF alone, all lines': b'HTTP/1.1 200 OK\nX: y\nContent-Length: 2\n\nok',
    'equal lengths': b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok',
    'list of equal lengths': b'HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok',
    'other lengths': b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok',
    'folding': b'HTTP/1.1 200 OK\r\nX: y\r\n z\r\nContent-Length: 2\r\n\r\nok',
    'folded first': b'HTTP/1.1 200 OK\r\n X: y\r\nContent-Length: 2\r\n\r\nok',
    'folded length': b'HTTP/1.1 200 OK\r\nContent-Length:\r\n 2\r\n\r\nok',
    'no reason': b'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok',
    'no colon': b'HTTP/1.1 200 OK\r\nX\r\nContent-Length: 2\r\n\r\nok',
    'CR alone': b'HTTP/1.1 200 OK\r\nX: y\rZ: z\r\nContent-Length: 2\r\n\r\nok',
    'NUL': b'HTTP/1.1 200 OK\r\nX: \x00\r\nContent-Length: 2\r\n\r\nok',
    'empty name': b'HTTP/1.1 200 OK\r\n: y\r\nContent-Length: 2\r\n\r\nok',
    'blank in name': b'HTTP/1.1 200 OK\r\nX Y: y\r\nContent-Length: 2\r\n\r\nok',
    'chunk BWS': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2 \r\nok\r\n0\r\n\r\n',
    'chunk many BWS': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2  \t\r\nok\r\n0 \r\n\r\n',
    'chunk BWS ext': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2 ;x=y\r\nok\r\n0\r\n\r\n',
    'chunk ext': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nok\r\n0;z\r\n\r\n',
    'trailer blank before colon': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-T : 1\r\n\r\n',
    'trailer folded': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-T: 1\r\n 2\r\n\r\n',
    'trailer control': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-T: a\x01\r\n\r\n',
    'identity and length': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nok',
    'identity alone': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nok',
    'equal lengths, a zero': b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 02\r\n\r\nok',
    'tab after status': b'HTTP/1.1 200\tOK\r\nContent-Length: 2\r\n\r\nok',
    'chunks in 1.0': b'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    'chunks in 1.0, kept': b'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    'chunk blank first': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n 2\r\nok\r\n0\r\n\r\n',
    'chunk LF': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\nok\n0\n\n',
    'chunk no CRLF after data': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok0\r\n\r\n',
    'chunk 0x': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\nok\r\n0\r\n\r\n',
    'chunk zeros': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n00000002\r\nok\r\n000\r\n\r\n',
    'Chunked in capitals': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKED\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    'TE blank before colon': b'HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    'length and chunks': b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    'coding with empty elements': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: ,chunked,\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    'blanks after coding': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked \t\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    'xchunked': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    'parameter of chunked': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked;q=1\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    'Connection names length': b'HTTP/1.1 200 OK\r\nConnection: Content-Length\r\nContent-Length: 2\r\n\r\nok',
    'Connection names coding': b'HTTP/1.1 200 OK\r\nConnection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    'trailer Set-Cookie': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nSet-Cookie: b\r\n\r\n',
    'length +2': b'HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok',
    'length empty': b'HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\nok',
    'two blanks': b'HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\nok',
    'empty line first': b'\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
    '129 fields': b'HTTP/1.1 200 OK\r\n' + b'X: y\r\n' * 128 + b'Content-Length: 2\r\n\r\nok',
    '1,000 fields': b'HTTP/1.1 200 OK\r\n' + b'X: y\r\n' * 999 + b'Content-Length: 2\r\n\r\nok',
    '17 interim': b'HTTP/1.1 103 Early\r\n\r\n' * 17 + b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
    '1,024 interim': b'HTTP/1.1 103 Early\r\n\r\n' * 1024 + b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
    'chunk of 16 digits': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n' + b'0' * 15 + b'2\r\nok\r\n0\r\n\r\n',
    'chunk of 501 digits': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n' + b'0' * 500 + b'2\r\nok\r\n0\r\n\r\n',
    'chunk of 2^63': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8000000000000000\r\nok',
    'length of 40 digits': b'HTTP/1.1 200 OK\r\nContent-Length: ' + b'0' * 39 + b'2\r\n\r\nok',
    '129 trailers': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n' + b'X: y\r\n' * 129 + b'\r\n',
    'status 600': b'HTTP/1.1 600 OK\r\nContent-Length: 2\r\n\r\nok',
    'bytes above 127 in value': b'HTTP/1.1 200 OK\r\nX: \xe9\r\nContent-Length: 2\r\n\r\nok',
    'control in value': b'HTTP/1.1 200 OK\r\nX: a\x01b\r\nContent-Length: 2\r\n\r\nok',
}

NAMES = list(CASES)


def answer(connection):
    with connection:
        data = b''
        while b'\r\n\r\n' not in data:
            part = connection.recv(4096)
            if not part:
                return
            data += part
        number = int(data.split(b' ')[1].rsplit(b'/', 1)[1])
        connection.sendall(CASES[NAMES[number]])
        # Without this, the end of the connection would end bodies that have another end.
        time.sleep(0.3)


def serve(listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


def main():
    listener = socket.socket()
    listener.bind(('127.0.0.1', 0))
    listener.listen(64)
    threading.Thread(target=serve, args=(listener,), daemon=True).start()
    proxies = {'curl': ['--noproxy', '*']}
    for argument in sys.argv[1:]:
        name, port = argument.split('=')
        proxies[name] = ['--noproxy', '', '--proxy', f'http://127.0.0.1:{port}']
    for number, name in enumerate(NAMES):
        url = f'http://127.0.0.1:{listener.getsockname()[1]}/{number}'
        answers = {'name': name}
        for proxy, options in proxies.items():
            curl = ['curl', '--silent', '--max-time', '60', '--write-out', '|%{http_code}', *options, url]
            run = subprocess.run(curl, capture_output=True)
            body, status = run.stdout.decode('latin-1').rsplit('|', 1)
            answers[proxy] = {'exit': run.returncode, 'status': int(status), 'body': body[:200]}
        print(json.dumps(answers), flush=True)


main()
