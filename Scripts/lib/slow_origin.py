"""An HTTP origin that delays its responses, for the service scripts."""

import http.server
import os
import threading
import time

from service_images import image_folder


class SlowOrigin:
    """Responds to every request with one image after `delay` seconds, and counts the requests."""

    def __init__(self, image, delay):
        self.count = 0
        with open(os.path.join(image_folder(), image), "rb") as file:
            body = file.read()
        outer, lock = self, threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                with lock:
                    outer.count += 1
                time.sleep(delay)
                self.send_response(200)
                self.send_header("Content-Type", "image/jpeg")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 512

        self.server = Listener(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
