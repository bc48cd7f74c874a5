"""A second reader of HTTP/1.1, written from RFC 9112 and from what the collector promises, not from its code.

In: a line of JSON per stream: {"bytes": base64, "limits": [request line, header section, fields, body]}.
Out: a line of JSON per stream: its requests, then the status of the refusal, if there is one.
With {"method": ..., "closed": ...} the stream is what a server answers to a request of that method; out comes the final
answer and whether the connection can be kept, or null when more is needed, or "no".

Order of judgement: first byte, request line (length, line end, syntax), size of the section, its lines one after the
other, their number, host, framing, expectation, body.
"""
import base64
import json
import re
import sys

TCHAR = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]"
QUOTED = rb'"(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t \x21-\x7e\x80-\xff])*"'
EXTENSION = rb"[\t ]*;[\t ]*" + TCHAR + rb"+(?:[\t ]*=[\t ]*(?:" + TCHAR + rb"+|" + QUOTED + rb"))?"
CHUNK = re.compile(rb"([0-9a-fA-F]{1,16})((?:" + EXTENSION + rb")*)")
HOST = re.compile(rb"(?:(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9a-fA-F][0-9a-fA-F])+|\[[0-9a-fA-F:.]{2,45}\])(?::[0-9]{0,5})?")
CHUNK_LINE = 256
EMPTY_LINES = 4


class Wait(Exception):
    """More bytes are needed."""


class No(Exception):
    """The status of a refusal."""


class Stream:
    def __init__(self, data, limits):
        self.data, self.at = data, 0
        self.line_limit, self.section_limit, self.field_limit, self.body_limit = limits

    def line_end(self, limit, status):
        """Position of the next line feed; limit counts what stands before it."""
        end = self.data.find(b"\n", self.at, self.at + limit + 1)
        if end >= 0:
            return end
        if len(self.data) - self.at > limit:
            raise No(status)
        raise Wait

    def first_byte(self):
        for _ in range(EMPTY_LINES + 1):
            rest = self.data[self.at:self.at + 2]
            if rest in (b"", b"\r"):
                raise Wait
            if rest[:1] == b"\r":
                if rest != b"\r\n":
                    raise No(400)
                self.at += 2
                continue
            if re.fullmatch(TCHAR, rest[:1]) is None:
                raise No(400)
            return
        raise No(400)

    def request_line(self):
        self.first_byte()
        end = self.line_end(self.line_limit + 1, 414)
        line = self.data[self.at:end + 1]
        if not line.endswith(b"\r\n") or b"\r" in line[:-2]:
            raise No(400)
        self.at = end + 1
        line = line[:-2]
        version = re.search(rb" HTTP/([0-9])(\.[0-9])?$", line)
        if version and (version[1] != b"1" or version[2] is None):
            raise No(505)
        parts = re.fullmatch(rb"(" + TCHAR + rb"+) ([\x21-\x7e]+) HTTP/1\.([0-9])", line)
        if parts is None:
            raise No(400)
        return parts[1], parts[2], parts[3] == b"0"

    def section(self):
        """Fields in order. The section ends with the first empty line, whichever way its line ends are written."""
        window = self.data[self.at - 1:self.at + self.section_limit]
        ends = [m.start() for m in re.finditer(rb"\n(?=\r\n)", window)]
        good = ends[0] if ends else None
        bare = re.search(rb"\n(?=\n)", window)
        if good is None and bare is None:
            if len(self.data) - self.at > self.section_limit:
                raise No(431)
            raise Wait
        fields = []
        whole = window[1:good + 1] if good is not None else window[1:bare.start() + 2]
        lines = re.split(rb"(?<=\r\n)", whole)
        lines = lines[:-1] if lines and lines[-1] == b"" else lines
        for number, line in enumerate(lines):
            if number == self.field_limit:
                raise No(431)
            field = re.fullmatch(rb"(" + TCHAR + rb"+):([\t\x20-\x7e\x80-\xff]*)\r\n", line)
            if field is None:
                raise No(400)
            fields.append((field[1].lower(), field[2].strip(b"\t ")))
        if good is None:
            raise No(400)
        self.at += good + 2
        return fields

    def chunks(self):
        body, extensions = b"", 0
        while True:
            end = self.line_end(CHUNK_LINE - 1, 400)
            line = self.data[self.at:end + 1]
            size = CHUNK.fullmatch(line[:-2]) if line.endswith(b"\r\n") else None
            if size is None:
                raise No(400)
            self.at = end + 1
            extensions += len(size[2])
            if extensions > self.section_limit:
                raise No(400)
            count = int(size[1], 16)
            if len(body) + count > self.body_limit:
                raise No(413)
            if count == 0:
                self.section()
                return body
            body += self.data[self.at:self.at + count]
            after = self.data[self.at + count:self.at + count + 2]
            if not b"\r\n".startswith(after):
                raise No(400)
            if len(after) < 2:
                raise Wait
            self.at += count + 2

    def request(self):
        method, target, old = self.request_line()
        path, query, authority = split_target(method, target)
        fields = self.section()
        values = {}
        for name, value in fields:
            values.setdefault(name, []).append(value)
        hosts = values.get(b"host", [])
        if len(hosts) > 1 or (not hosts and not old) or (hosts and HOST.fullmatch(hosts[0]) is None):
            raise No(400)
        coding, length = values.get(b"transfer-encoding"), values.get(b"content-length")
        if coding is not None:
            if length is not None or old:
                raise No(400)
            if len(coding) > 1 or coding[0].lower() != b"chunked":
                raise No(501)
        elif length is not None:
            if len(length) > 1 or re.fullmatch(rb"[0-9]+", length[0]) is None:
                raise No(400)
            if int(length[0]) > self.body_limit:
                raise No(413)
        elif old and method in (b"POST", b"PUT", b"PATCH"):
            raise No(411)
        if b"expect" in values and (len(values[b"expect"]) > 1 or values[b"expect"][0].lower() != b"100-continue"):
            raise No(417)
        if coding is not None:
            body = self.chunks()
        else:
            count = int(length[0]) if length else 0
            body = self.data[self.at:self.at + count]
            if len(body) < count:
                raise Wait
            self.at += count
        if authority is not None:
            values[b"host"] = [authority]
        options = [o.strip(b"\t ").lower() for v in values.get(b"connection", []) for o in v.split(b",")]
        keep = b"close" not in options and (not old or b"keep-alive" in options)
        headers = {n.decode("latin-1"): base64.b64encode(b", ".join(v)).decode() for n, v in values.items() if not is_integer(n)}
        encode = lambda text: base64.b64encode(text).decode()
        return keep, {"method": method.decode("latin-1"), "path": encode(path), "query": encode(query), "headers": headers, "body": encode(body)}


def split_target(method, target):
    if method == b"CONNECT" or b"#" in target:
        raise No(400)
    if target.startswith(b"/"):
        path, _, query = target.partition(b"?")
        return path, query, None
    if target == b"*" and method == b"OPTIONS":
        return b"*", b"", None
    parts = re.fullmatch(rb"[Hh][Tt][Tt][Pp][Ss]?://([^/?]*)([^?]*)(\?.*)?", target)
    if parts is None or HOST.fullmatch(parts[1]) is None:
        raise No(400)
    path = parts[2] or (b"*" if method == b"OPTIONS" and parts[3] is None else b"/")
    return path, (parts[3] or b"?")[1:], parts[1]


def is_integer(name):
    """Names that are left out."""
    return re.fullmatch(rb"0|-?[1-9][0-9]*", name) is not None and -2 ** 63 <= int(name) < 2 ** 63


def read(data, limits):
    stream, got = Stream(data, limits), []
    try:
        while True:
            keep, request = stream.request()
            got.append(request)
            if not keep:
                return got
    except Wait:
        return got
    except No as no:
        return got + [no.args[0]]


def answer(data, limits, method, closed):
    stream = Stream(data, limits)
    try:
        for _ in range(9):
            if not b"HTTP/".startswith(stream.data[stream.at:stream.at + 5]):
                raise No(0)
            end = stream.line_end(stream.line_limit + 1, 0)
            line = re.fullmatch(rb"HTTP/1\.([0-9]) ([1-5][0-9][0-9])( [\t\x20-\x7e\x80-\xff]*)?\r\n", data[stream.at:end + 1])
            if line is None:
                raise No(0)
            stream.at = end + 1
            fields, status, old = stream.section(), int(line[2]), line[1] == b"0"
            if status == 101:
                raise No(0)
            if status >= 200:
                return final(stream, status, old, fields, method, closed)
        raise No(0)
    except Wait:
        return "no" if closed else None
    except No:
        return "no"


def final(stream, status, old, fields, method, closed):
    values = {}
    for name, value in fields:
        values.setdefault(name, []).append(value)
    coding, length = values.get(b"transfer-encoding"), values.get(b"content-length")
    told = True
    if method == "HEAD" or status in (204, 304):
        body = b""
    elif coding is not None:
        if length is not None or old or len(coding) > 1 or coding[0].lower() != b"chunked":
            raise No(0)
        body = stream.chunks()
    elif length is not None:
        if len(length) > 1 or re.fullmatch(rb"[0-9]+", length[0]) is None or int(length[0]) > stream.body_limit:
            raise No(0)
        body = stream.data[stream.at:stream.at + int(length[0])]
        if len(body) < int(length[0]):
            raise Wait
        stream.at += len(body)
    else:
        told, body = False, stream.data[stream.at:]
        if len(body) > stream.body_limit:
            raise No(0)
        if not closed:
            raise Wait
    options = [o.strip(b"\t ").lower() for v in values.get(b"connection", []) for o in v.split(b",")]
    keep = told and not closed and stream.at == len(stream.data) and b"close" not in options and (not old or b"keep-alive" in options)
    gone = (b"connection", b"content-length", b"date", b"keep-alive", b"transfer-encoding")
    headers = {n.decode("latin-1"): base64.b64encode(b", ".join(v)).decode() for n, v in values.items() if n not in gone and not is_integer(n)}
    return {"status": status, "headers": headers, "body": base64.b64encode(body).decode(), "keep": keep}


for text in sys.stdin:
    case = json.loads(text)
    stream_bytes = base64.b64decode(case["bytes"])
    if "method" in case:
        print(json.dumps(answer(stream_bytes, case["limits"], case["method"], case["closed"])))
    else:
        print(json.dumps(read(stream_bytes, case["limits"])))
