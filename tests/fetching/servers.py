"""A web server on this machine that says exactly what a test wants, right or wrong."""

import socket
from contextlib import contextmanager, suppress
from threading import Thread


class Server:
    """Answers a path with bytes, or with what a function does with the connection."""

    def __init__(self, answers, context=None):
        self.answers = answers
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
                self._threads.append(Thread(target=self._answer, args=(connection,)))
                self._threads[-1].start()

    def _answer(self, connection):
        # Those who are cut off, or whose certificate is not liked, hear of it here too.
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
        answer = self.answers[request.split(" ")[1]]
        if callable(answer):
            answer(stream)
        else:
            stream.sendall(answer)

    def stop(self):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in self._threads:
            thread.join()


@contextmanager
def served(answers, **options):
    server = Server(answers, **options)
    try:
        yield server
    finally:
        server.stop()


def answer(body=b"", *headers, status="200 OK", length=True):
    lines = [f"HTTP/1.1 {status}", *headers, *([f"Content-Length: {len(body)}"] if length else [])]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode() + body


def moved(location, status="302 Found"):
    return answer(b"", f"Location: {location}", status=status)
