"""A cache of its own for each test, and no network but a server of this machine."""

import http.server
import threading

import pytest

from tapeviz.keras.datasets import download


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TAPEVIZ_HOME", str(tmp_path / "home"))

    def refused(url):
        raise ConnectionRefusedError(f"no network for {url}")

    monkeypatch.setattr(download, "opened", refused)
    return tmp_path / "home" / "datasets"


@pytest.fixture
def served(monkeypatch):
    """Files by address, on a server of this machine; what was asked for."""
    files, asked = {}, []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            found = files.get(self.path)
            self.send_response(200 if found is not None else 404)
            self.send_header("Content-Length", str(len(found or b"")))
            self.end_headers()
            self.wfile.write(found or b"")

        def log_message(self, *_args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.undo()
    yield files, asked, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()
