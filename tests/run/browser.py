"""A page in headless Chromium, over its DevTools protocol; nothing but Python's own library is needed.

	with Browser() as b:
		b.open("file:///tmp/page.html", ready="document.readyState === 'complete'")
		b.value("1 + 1"); b.click("#button"); b.key("Enter"); b.screenshot("page.png")
		b.complaints	# what the console said, and exceptions

Run as a program: browser.py PAGE.html OUT.png [WIDTH HEIGHT [light|dark [#part]]] takes a picture.
"""
import base64, json, os, shutil, socket, struct, subprocess, sys, tempfile, time

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find():
	return next((p for p in map(shutil.which, NAMES) if p), None)


class Browser:
	def __init__(self, width=1280, height=900, scheme="light"):
		self.home = tempfile.mkdtemp(prefix="browser.")
		self.complaints, self.requests, self.next = [], [], 0
		self.size, self.scheme = (width, height), scheme

	def __enter__(self):
		self.process = subprocess.Popen([find(), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
			"--disable-dev-shm-usage", "--disable-extensions", "--no-first-run", "--disable-background-networking",
			"--user-data-dir=" + self.home, "about:blank"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
			stderr=subprocess.DEVNULL, env=dict(os.environ, HOME=self.home, LD_PRELOAD=""))
		try:
			self._connect()
		except BaseException:
			self.__exit__()
			raise
		return self

	def __exit__(self, *why):
		self.process.kill()
		self.process.wait()
		for _ in range(50):	# its children write on for a moment
			shutil.rmtree(self.home, ignore_errors=True)
			if not os.path.exists(self.home):
				break
			time.sleep(0.1)

	# ---- the protocol: JSON in WebSocket frames
	def _port(self):
		name = os.path.join(self.home, "DevToolsActivePort")
		end = time.time() + 60
		while time.time() < end and self.process.poll() is None:
			try:
				port, path = open(name).read().split("\n")[:2]
				return int(port), path
			except (OSError, ValueError):
				time.sleep(0.05)
		raise RuntimeError("the browser does not start")

	def _connect(self):
		port, path = self._port()
		self.socket = socket.create_connection(("127.0.0.1", port), 120)
		self.socket.sendall(("GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
			"Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n\r\n" % (path, port, base64.b64encode(os.urandom(16)).decode())).encode())
		self.file = self.socket.makefile("rb")
		while self.file.readline().strip():
			pass
		self.session = None
		target = self.call("Target.createTarget", url="about:blank")["targetId"]
		self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
		for domain in ("Page", "Runtime", "Log", "Network"):
			self.call(domain + ".enable")
		self.call("Emulation.setDeviceMetricsOverride", width=self.size[0], height=self.size[1], deviceScaleFactor=1, mobile=False)
		self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": self.scheme}])

	def _send(self, text):
		data, mask = text.encode(), os.urandom(4)
		head = bytes([0x81]) + (bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0xfe]) + struct.pack(">H", len(data))
			if len(data) < 65536 else bytes([0xff]) + struct.pack(">Q", len(data)))
		self.socket.sendall(head + mask + bytes(c ^ mask[i & 3] for i, c in enumerate(data)))

	def _receive(self):
		whole = b""
		while True:
			first, n = self.file.read(2)
			n &= 0x7f
			if n > 125:
				n = struct.unpack(">H" if n == 126 else ">Q", self.file.read(2 if n == 126 else 8))[0]
			whole += self.file.read(n)
			if first & 0x80:
				return json.loads(whole)

	def call(self, method, **params):
		self.next += 1
		message = {"id": self.next, "method": method, "params": params}
		if self.session:
			message["sessionId"] = self.session
		self._send(json.dumps(message))
		while True:
			m = self._receive()
			if m.get("id") == message["id"]:
				if "error" in m:
					raise RuntimeError("%s: %s" % (method, m["error"]["message"]))
				return m["result"]
			self._note(m)

	def _note(self, m):
		p = m.get("params", {})
		if m.get("method") == "Runtime.exceptionThrown":
			d = p["exceptionDetails"]
			self.complaints.append(d.get("exception", {}).get("description") or d["text"])
		elif m.get("method") == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
			self.complaints.append(" ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
		elif m.get("method") == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
			self.complaints.append(p["entry"]["text"])
		elif m.get("method") == "Network.requestWillBeSent":
			self.requests.append(p["request"]["url"])

	# ---- what one does with a page
	def open(self, url, ready, seconds=60):
		"""Returns how long it took until 'ready' held."""
		start = time.time()
		self.call("Page.navigate", url=url)
		while time.time() < start + seconds:
			try:
				if self.value(ready):
					return time.time() - start
			except RuntimeError:
				pass	# there may be no document yet
			time.sleep(0.02)
		raise RuntimeError("%s is not ready: %s" % (url, self.complaints))

	def value(self, expression):
		r = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
		if "exceptionDetails" in r:
			raise RuntimeError("%s: %s" % (expression, r["exceptionDetails"].get("exception", {}).get("description")))
		return r["result"].get("value")

	def click(self, selector, x=0.5, y=0.5):
		"""At a place in the element: a fraction of its size, or pixels as integers."""
		box = self.value("(e => { e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })"
			"(document.querySelector(%s))" % json.dumps(selector))
		at = {"x": box[0] + (x if isinstance(x, int) else x * box[2]), "y": box[1] + (y if isinstance(y, int) else y * box[3])}
		for kind in ("mousePressed", "mouseReleased"):
			self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)

	def key(self, name):
		text = {"Enter": "\r"}.get(name, name if len(name) == 1 else None)
		for kind in ("keyDown", "keyUp"):
			more = {"text": text, "windowsVirtualKeyCode": ord(text)} if text and kind == "keyDown" else {}
			self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, **more)

	def screenshot(self, path, whole=True):
		data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **({} if not whole else {"clip": dict(
			self.call("Page.getLayoutMetrics")["cssContentSize"], scale=1)}))["data"]
		open(path, "wb").write(base64.b64decode(data))


if __name__ == "__main__":
	width, height = (int(sys.argv[3]), int(sys.argv[4])) if len(sys.argv) > 4 else (1280, 900)
	with Browser(width, height, sys.argv[5] if len(sys.argv) > 5 else "light") as b:
		print("%.2f s" % b.open("file://" + os.path.abspath(sys.argv[1]), "document.documentElement.dataset.ready === 'yes'"))
		if len(sys.argv) > 6:
			b.value("document.querySelector(%s).scrollIntoView()" % json.dumps(sys.argv[6]))
		b.screenshot(sys.argv[2], len(sys.argv) <= 6)
		print("\n".join(b.complaints))
