# newer.trace becomes opaque.trace, whose items only a newer Sleave can read, and before.trace, which an older one wrote.
import struct

tape = bytearray(open("newer.trace", "rb").read())
size = struct.unpack_from("<I", tape, 12)[0]
assert tape[24 + size - 1] == 4 # the oldest version that can read it, the last of the header
tape[24 + size - 1] = 9

all_bits = (1 << 64) - 1
def times(a, b):
    return a * b & all_bits
def mixed(x): # sl_mix()
    x = times(x ^ x >> 30, 0xbf58476d1ce4e5b9)
    x = times(x ^ x >> 27, 0x94d049bb133111eb)
    return x ^ x >> 31
def check(data): # sl_tape_check()
    total, whole = times(len(data), 0x9e3779b97f4a7c15), len(data) // 8 * 8
    for at in range(0, whole, 8):
        total = times(total ^ struct.unpack_from("<Q", data, at)[0], 0xbf58476d1ce4e5b9)
        total ^= total >> 29
    return mixed(total ^ int.from_bytes(data[whole:], "little"))
struct.pack_into("<Q", tape, 16, check(tape[24:24 + size]))
open("opaque.trace", "wb").write(tape)
tape[8] = tape[24 + size - 1] = 3 # all.trace was written item by item, as they were then
struct.pack_into("<Q", tape, 16, check(tape[24:24 + size]))
open("before.trace", "wb").write(tape)
