"""Mutations of files: of bytes, numbers, words and lines; and checksums that are made right again."""

import re
import struct
import zlib

from damage import mend_checksums

NUMBER = re.compile(rb"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
WORD = re.compile(rb"[A-Za-z_][A-Za-z_0-9]*")
NUMBERS = (
    b"0", b"1", b"-1", b"2", b"3", b"255", b"256", b"32767", b"65535", b"65536", b"16777216", b"2147483647",
    b"2147483648", b"-2147483648", b"4294967295", b"4294967296", b"9223372036854775807", b"9223372036854775808",
    b"1e9", b"1e300", b"1e309", b"-1e400", b"nan", b"inf", b"-inf", b"+inf", b"Infinity", b"NaN", b"0.5", b"1.5",
    b"-0.0", b"1e-320", b"00", b"007", b"+5", b"1_0", b"0x10", b"true", b"null", b"[]", b"{}", b'""', b"", b"\xd9\xa3",
    b"9" * 400, b"9" * 5000, b"[1,2]", b'"x"', b"~",
)  # fmt: skip
ODD = (
    b"\0", b"\n", b"\r\n", b"\r", b"\t", b" ", b"\\", b"\\\n", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe",
    b"\xf0\x9f\x98\x80", b"\xed\xa0\x80", b"\\ud800", b"\\u0000", b"&#0;", b"&amp;", b"<!DOCTYPE a>", b"<![CDATA[",
    b"-->", b"#", b"@", b"'", b'"', b"[", b"]", b"{", b"}", b":", b",", b"- ", b"&a ", b"*a",
    b"!!python/object:os.system ", b"!!binary ", b"!!set ", b"? ", b"%", b"..", b"/", b"//", b"../../etc/passwd",
    b"<<: ",
    b"2024-13-45", b"0o17", b"1:2:3", b"\xc2\xa0",
    b"\x1b[31m", b"\xe2\x80\xa8",
)  # fmt: skip
WORDS = (1, 2, 4, 8)  # sizes of binary numbers
LONGEST = 200_000  # bytes of a mutated file: it is the odd ones that are looked for, not the large ones


def mutate(chance, data, others=(), words=()):
    """Return a file with one to four changes. others: more files of the format; words: those that mean something."""
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        data = chance.choice(CHANGES)(chance, data, others or (data,), words)[:LONGEST]
    return data


def _place(chance, data):
    # Most of what can go wrong is in the header.
    return chance.randrange(min(len(data), 200) + 1 if chance.random() < 0.5 else len(data) + 1)


def _span(chance, data, most=64):
    at = _place(chance, data)
    return at, min(len(data), at + 1 + int(chance.random() ** 3 * most))


def flip_bit(chance, data, others, words):
    at = _place(chance, data)
    return data if at >= len(data) else data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def set_byte(chance, data, others, words):
    at = _place(chance, data)
    return data[:at] + bytes([chance.choice((0, 1, 32, 127, 128, 255, chance.randrange(256)))]) + data[at + 1 :]


def set_number(chance, data, others, words):
    """Set a binary number to one at a limit."""
    size, order = chance.choice(WORDS), chance.choice(("little", "big"))
    value = chance.choice(
        (0, 1, 2, -1, -2, 2 ** (8 * size - 1), 2 ** (8 * size - 1) - 1, 65536, 65535, 16, 2**28, 2**24)
    )
    at = _place(chance, data)
    if chance.random() < 0.5:
        at -= at % size
    return data[:at] + (value % 2 ** (8 * size)).to_bytes(size, order) + data[at + size :]


def add_to_number(chance, data, others, words):
    """Add a little to a binary number."""
    size, order = chance.choice(WORDS), chance.choice(("little", "big"))
    at = _place(chance, data)
    value = int.from_bytes(data[at : at + size].ljust(size, b"\0"), order) + chance.choice((-1, 1, 2, -2, 16, 256))
    return data[:at] + (value % 2 ** (8 * size)).to_bytes(size, order) + data[at + size :]


def cut_off(chance, data, others, words):
    return data[: chance.randrange(len(data) + 1)]


def cut_out(chance, data, others, words):
    a, b = _span(chance, data)
    return data[:a] + data[b:]


def double(chance, data, others, words):
    a, b = _span(chance, data)
    return data[:b] + data[a:b] * chance.choice((1, 1, 1, 2, 10, 100)) + data[b:]


def repeat_deep(chance, data, others, words):
    """Repeat a few bytes very often: what opens brackets nests them."""
    a, b = _span(chance, data, 8)
    bit = chance.choice((data[a:b], chance.choice(ODD), b'{"a":', b"[", b"<a>", b"- ", b"{a: "))
    return data[:a] + bit * chance.choice((50, 1000, 20_000)) + data[a:]


def insert_odd(chance, data, others, words):
    at = _place(chance, data)
    return data[:at] + chance.choice(ODD) + data[at:]


def splice(chance, data, others, words):
    other = chance.choice(others)
    a, b = _place(chance, data), _place(chance, other)
    return data[:a] + other[b:] if chance.random() < 0.5 else data[:a] + other[b : b + 64] + data[a:]


def _replace(chance, data, pattern, new):
    found = list(pattern.finditer(data, 0, 20_000))
    if not found:
        return data
    one = chance.choice(found[:40]) if chance.random() < 0.7 else chance.choice(found)
    return data[: one.start()] + new + data[one.end() :]


def change_number(chance, data, others, words):
    """Set a number in a text to one at a limit."""
    return _replace(chance, data, NUMBER, chance.choice(NUMBERS))


def change_digit(chance, data, others, words):
    """Set a number in a text to another small one: in range, but wrong."""
    return _replace(chance, data, NUMBER, str(chance.randrange(-3, 12)).encode())


def change_word(chance, data, others, words):
    return _replace(chance, data, WORD, chance.choice(words) if words else chance.choice(ODD))


def change_line(chance, data, others, words):
    lines = data.split(b"\n")
    a, b = (chance.randrange(len(lines)) for _ in range(2))
    kind = chance.randrange(4)
    if kind == 0:
        del lines[a]
    elif kind == 1:
        lines.insert(b, lines[a])
    elif kind == 2:
        lines[a], lines[b] = lines[b], lines[a]
    else:
        lines[a] = chance.choice(others).split(b"\n")[0]
    return b"\n".join(lines)


CHANGES = (
    flip_bit, set_byte, set_number, set_number, add_to_number, cut_off, cut_out, double, repeat_deep, insert_odd,
    splice, change_number, change_number, change_number, change_digit, change_digit, change_word, change_word,
    change_line,
)  # fmt: skip


# --- Checksums and lengths, made right again: so that a change is seen by what comes behind them ----------------------


def mend_png(data):
    """Set the checksums of all chunks."""
    parts, at = [data[:8]], 8
    while at + 12 <= len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        body = data[at + 4 : at + 8 + length]
        if len(body) < 4 + length:
            break
        parts.append(data[at : at + 4] + body + struct.pack(">I", zlib.crc32(body)))
        at += 12 + length
    return b"".join(parts) + data[at:]


def mend_npy(data):
    """Set the length of the header, which ends with the first line."""
    end = data.find(b"\n", 10)
    return (
        data if end < 0 else data[:8] + struct.pack("<H", min(65535, end + 1 - 10)) + data[end + 1 - (end + 1 - 10) :]
    )


def mend_index(data):
    """Set the length of the header and the checksums."""
    end = data.find(b"}  ", 8)
    if end < 0:
        end = data.find(b"}}", 8) + 1
    return mend_checksums(data) if end < 9 else mend_checksums((end - 7).to_bytes(8, "little") + data[8:])


def mend_build_file(data):
    """Set the checksums of all records of an unfinished build, and the length of headers that are cut or longer."""
    parts, at = [], 0
    while data[at : at + 4] == b"wgb1" and at + 24 <= len(data):
        length, size = struct.unpack("<IQ", data[at + 4 : at + 16])
        end = data.find(b"wgb1", at + 4)
        end = len(data) if end < 0 else end
        size = min(size, max(0, end - at - 24))
        length = max(0, end - at - 24 - size)
        text, body = data[at + 24 : at + 24 + length], data[at + 24 + length : end]
        lengths = struct.pack("<IQ", length, size)
        parts.append(
            b"wgb1" + lengths + struct.pack("<II", zlib.crc32(text, zlib.crc32(lengths)), zlib.crc32(body)) + text
        )
        parts.append(body)
        at = end
    return b"".join(parts) + data[at:]


def mend_message(data):
    """Set the length of the header of a message of the studio."""
    end = data.rfind(b"]}") + 2
    return (
        data
        if end < 6
        else struct.pack("<I", end - 4 + -end % 8) + data[4:end] + b" " * (-end % 8) + data[end:].lstrip()
    )
