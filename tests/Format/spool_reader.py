#!/usr/bin/env python3
"""Reads Headroom's buffer on disk, written from docs/spool-format.md alone, standard library only.

usage: spool_reader.py [--state] PATH...

PATH is a bucket directory, a segment, a slot or a state file (with --state). Output is one JSON object per line:

  {"id", "position", "accepted_at", "row"}   an event; id is null where node, bucket or sequence are not known
                                             (then the sequence is 0); "replaced": n where n of its strings lost bytes
  {"gap": "torn"|"damaged", "offset", "end"} bytes that are no valid frame and no seal
  {"file"}                                   before the lines of a file, where more than one is read
  with --state: the record that counts, {"generation", "record"}, or {"generation": null, "record": null}

In "row" text, numbers, booleans and null stand for themselves; anything else is an object of one member:
{"json": parsed}, {"date": text}, {"base64": text}.
Exit code: 0 read to the end; 1 the spool says something this version does not define; 2 wrong usage.
"""
import json
import os
import re
import sys

MAGIC, STATE_MAGIC = b'\xf5HR\x01', b'\xf5HS\x01'
HEAD, LIMIT, BLOCK = 28, 8388608, 4096
NO_TEXT = re.compile(rb'[\x00-\x09\x0b-\x1f\xf5-\xff]')


class NotUnderstood(Exception):
    pass


def crc_table():
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        yield byte


TABLE = tuple(crc_table())


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF]
    return (crc ^ 0xFFFFFFFF).to_bytes(4, 'big')


def number(data, start, size):
    return int.from_bytes(data[start:start + size], 'big')


def plausible(data, at):
    return at + HEAD <= len(data) and data[at:at + 4] == MAGIC and number(data, at + 12, 8) == at


def valid(data, at):
    if not plausible(data, at) or number(data, at + 8, 4) > LIMIT:
        return None
    end = at + 32 + number(data, at + 8, 4)
    return end if end <= len(data) and crc32c(data[at:end - 4]) == data[end - 4:end] and not borrowed(data, end) else None


def seal_at(offset):
    return 16 if offset % 2 else 17


def is_seal(data, at):
    """Whether a whole seal lies there and nothing but a frame can follow."""
    behind = at + seal_at(at)
    return behind <= len(data) and not any(data[at:behind]) and data[behind:behind + 1] in (b'', MAGIC[:1])


def borrowed(data, end):
    starts = range(end - 4, end)
    return (any(plausible(data, at) for at in starts)
            or not is_seal(data, end) and any(is_seal(data, at) for at in starts))


def next_header(data, after):
    at = data.find(MAGIC, after + 1)
    while at >= 0 and not plausible(data, at):
        at = data.find(MAGIC, at + 1)
    return at if at >= 0 else len(data)


def only_length_damaged(data, at, end):
    n = end - at
    if not 32 <= n <= LIMIT + 32 or data[at:at + 4] != MAGIC or number(data, at + 12, 8) != at:
        return False
    frame = data[at:at + 8] + (n - 32).to_bytes(4, 'big') + data[at + 12:end]
    return crc32c(frame[:-4]) == frame[-4:]


def torn(data, at, end):
    part = data[at:end]
    offset, length = part[12:20], number(part, 8, 4)
    if part[:4] != MAGIC[:len(part)] or offset != at.to_bytes(8, 'big')[:len(offset)]:
        return False
    if len(part) < HEAD:
        return True
    payload, seen = part[HEAD:HEAD + length], part[HEAD + length:]
    return (len(part) - 32 < length <= LIMIT and not NO_TEXT.search(payload)
            and (not seen or crc32c(part[:HEAD + length]).startswith(seen)))


def without_seal(data, at, end):
    for size in (17, 16):
        if end % 2 == 1 and end - size >= at and data[end - size:end] == bytes(size):
            return end - size
    return end


def frames(data):
    """Yields ('frame', 'torn', 'damaged' or 'seal', start, end), which together cover every byte."""
    at = 0
    while at < len(data):
        end = valid(data, at)
        kind = 'frame'
        if end is None:
            following = next_header(data, at)
            end = without_seal(data, at, following)
            if end == at or not only_length_damaged(data, at, end):
                kind = 'seal' if end == at else 'torn' if torn(data, at, end) else 'damaged'
                end = following
        yield kind, at, end
        at = end


def value(raw):
    """A value, and how many of its strings lost bytes."""
    if not isinstance(raw, dict):
        return raw, 0
    tag = next(iter(raw), None)
    if tag == 'j':
        return {'json': json.loads(raw['j'])}, raw.get('r', 0)
    if tag == 'r':
        return raw['r'], 1
    if tag == 'f':
        return float(raw['f']), 0
    if tag in ('d', 'b'):
        return {{'d': 'date', 'b': 'base64'}[tag]: raw[tag]}, 0
    raise NotUnderstood(f'tag {tag!r}')


def event(line, position, origin, accepted_at):
    row = json.loads(line)
    own, row = row if isinstance(row, list) else (None, row)
    values = {name: value(raw) for name, raw in row.items()}
    replaced = sum(count for _, count in values.values())
    return {'id': own if own is not None else f'{origin}/{position}/{accepted_at}' if origin else None,
            'position': position, 'accepted_at': accepted_at,
            **({'replaced': replaced} if replaced else {}), 'row': {name: plain for name, (plain, _) in values.items()}}


def read(data, sequence, origin):
    for kind, start, end in frames(data):
        if kind == 'seal':
            continue
        if kind != 'frame':
            yield {'gap': kind, 'offset': start, 'end': end}
            continue
        payload = data[start + HEAD:end - 4].decode('utf-8')
        if data[start + 4] == 0:
            header = json.loads(payload)
            origin = origin or f"{header['node']}/{header['bucket']}"
            continue
        if data[start + 4] != 1:
            raise NotUnderstood(f'frame type {data[start + 4]} at offset {start}')
        lines = payload.split('\n')
        if len(lines) != number(data, start + 6, 2):
            raise NotUnderstood(f'{len(lines)} lines in the frame at offset {start}')
        for index, line in enumerate(lines):
            position = f'{sequence:020d}-{start:020d}-{index:05d}'
            yield event(line, position, origin if sequence else None, number(data, start + 20, 8))


def state(data):
    best = {'generation': None, 'record': None}
    for block in (data[:BLOCK], data[BLOCK:2 * BLOCK]):
        end = 16 + number(block, 12, 4)
        if block[:4] == STATE_MAGIC and end + 4 <= len(block) and crc32c(block[:end]) == block[end:end + 4]:
            generation = number(block, 4, 8)
            if generation > (best['generation'] or 0):
                best = {'generation': generation, 'record': json.loads(block[16:end])}
    return [best]


def files_of(bucket):
    segments = {name: os.path.join(bucket, folder, name) for folder in ('sealed', 'completed')
                for name in listed(os.path.join(bucket, folder), r'\d{20}\.seg')}
    slots = listed(os.path.join(bucket, 'active'), r'u\d+-\d{4}\.log')
    return [segments[name] for name in sorted(segments)] + [os.path.join(bucket, 'active', name) for name in slots]


def origin_of(bucket):
    """Node and bucket; None where the node's id is not there."""
    bucket = os.path.abspath(bucket)
    try:
        with open(os.path.join(bucket, '..', '..', 'node'), encoding='ascii', errors='replace') as file:
            node = file.read().split()[:1]
    except OSError:
        return None
    return f'{node[0]}/{os.path.basename(bucket)}' if node and re.fullmatch(r'[0-9a-f]{32}', node[0]) else None


def listed(folder, pattern):
    return sorted(n for n in os.listdir(folder) if re.fullmatch(pattern, n)) if os.path.isdir(folder) else []


def main(arguments):
    wants_state, paths = '--state' in arguments, [a for a in arguments if a != '--state']
    if not paths:
        sys.stderr.write(__doc__)
        return 2
    todo = []
    for path in paths:
        if os.path.isdir(path):
            todo += [(os.path.join(path, 'state'), None)] if wants_state else [(f, origin_of(path)) for f in files_of(path)]
        else:
            todo.append((path, None))
    status = 0
    for path, origin in todo:
        if len(todo) > 1:
            print(json.dumps({'file': os.path.basename(path)}, separators=(',', ':')))
        with open(path, 'rb') as file:
            data = file.read()
        name = re.fullmatch(r'(\d{20})\.seg', os.path.basename(path))
        try:
            for line in state(data) if wants_state else read(data, int(name[1]) if name else 0, origin):
                print(json.dumps(line, ensure_ascii=False, separators=(',', ':')))
        except NotUnderstood as what:
            sys.stderr.write(f'{path}: {what} is not part of format version 1, stopped there\n')
            status = 1
    return status


if __name__ == '__main__':
    if crc32c(b'123456789') != b'\xe3\x06\x92\x83':
        sys.exit('CRC-32C gives a wrong answer here')
    sys.stdout.reconfigure(encoding='utf-8', errors='surrogatepass')
    sys.exit(main(sys.argv[1:]))
