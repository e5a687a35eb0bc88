"""A web server on this machine that sends the bytes of a test, valid or not."""

import socket
from contextlib import contextmanager, suppress
from threading import Thread


class Server:
    """A server that responds to a path with bytes, or calls a function with the connection."""

    def __init__(self, responses, context=None):
        self.responses = responses
        self.requests = []
        self._context = context
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._threads = [Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self):
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                self._threads.append(Thread(target=self._handle, args=(connection,)))
                self._threads[-1].start()

    def _handle(self, connection):
        # Clients that are cut off, or refuse the certificate, cause errors here too.
        with connection, suppress(OSError):
            stream = (
                self._context.wrap_socket(connection, server_side=True)
                if self._context
                else connection
            )
            with stream:
                request = b""
                while b"\r\n\r\n" not in request and (part := stream.recv(65536)):
                    request += part
                if request:
                    self._respond(stream, request.decode("latin-1"))

    def _respond(self, stream, request):
        self.requests.append(request)
        response = self.responses[request.split(" ")[1]]
        if callable(response):
            response(stream)
        else:
            stream.sendall(response)

    def stop(self):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in self._threads:
            thread.join()


@contextmanager
def serve(responses, **options):
    server = Server(responses, **options)
    try:
        yield server
    finally:
        server.stop()


def make_response(body=b"", *headers, status="200 OK", length=True):
    lines = [f"HTTP/1.1 {status}", *headers, *([f"Content-Length: {len(body)}"] if length else [])]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode() + body


def make_redirect(location, status="302 Found"):
    return make_response(b"", f"Location: {location}", status=status)
