"""The protocol of an adapter: see `docs/src/internals/testing.md`, "Peers".

An adapter calls `serve` with a table of its peers. A peer is opened with the arguments of the command
line and gives a `Peer`; everything that it does before that counts as loading.
"""

import gc
import json
import os
import platform
import sys
import time

GOLDEN = 0x9E37_79B9_7F4A_7C15
UNREACHABLE = 0xFFFF_FFFF_FFFF_FFFF


class Missing(Exception):
    """The peer is not installed."""


class Peer:
    """A job that can be done again and again.

    version     of the peer
    work        does the job on what `prepare` gave; this is what is timed
    values      makes of a result the numbers that the digest is of
    conditions  how the job is done, for people
    threads     how many threads it may use
    prepare     is called before every run, outside the time
    """

    def __init__(self, version, work, values, conditions="", threads=1, prepare=lambda: None):
        self.version = version
        self.work = work
        self.values = values
        self.conditions = conditions
        self.threads = threads
        self.prepare = prepare


def digest(values):
    """The digest of whole numbers: the sum of one mixed number for each, modulo 2^64."""
    import numpy

    values = numpy.ascontiguousarray(values, dtype=numpy.uint64)
    total = numpy.uint64(0)
    for first in range(0, len(values), 1 << 20):
        part = values[first : first + (1 << 20)]
        places = numpy.arange(first + 1, first + 1 + len(part), dtype=numpy.uint64)
        mixed = part + places * numpy.uint64(GOLDEN)
        mixed = (mixed ^ (mixed >> numpy.uint64(30))) * numpy.uint64(0xBF58_476D_1CE4_E5B9)
        mixed = (mixed ^ (mixed >> numpy.uint64(27))) * numpy.uint64(0x94D0_49BB_1331_11EB)
        mixed ^= mixed >> numpy.uint64(31)
        total += mixed.sum(dtype=numpy.uint64)
    return f"{int(total):016x}"


def bits(mask):
    """The limbs of a column of truth values: row i is bit i mod 64 of limb i div 64."""
    import numpy

    packed = numpy.packbits(numpy.asarray(mask, dtype=bool), bitorder="little")
    padded = numpy.zeros(-(-len(packed) // 8) * 8, dtype=numpy.uint8)
    padded[: len(packed)] = packed
    return padded.view("<u8")


def timed(peer, runs):
    """The seconds of so many runs together, and the last result."""
    seconds = 0.0
    for _ in range(runs):
        prepared = peer.prepare()
        begun = time.perf_counter()
        result = peer.work(prepared)
        seconds += time.perf_counter() - begun
    return seconds, result


def serve(peers):
    """Opens the peer that the command line names and does what standard input says."""
    # What a library prints must not come between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(kind, what):
        print(json.dumps({kind: what}), file=answers, flush=True)

    given = dict(argument.split("=", 1) for argument in sys.argv[1:])
    name = given.get("peer", "")
    begun = time.perf_counter()
    try:
        if name not in peers:
            raise Missing(f"no peer `{name}` in this adapter")
        peer = peers[name](given)
        check = digest([i * i for i in range(100)])
    except (ImportError, Missing) as error:
        return answer("missing", str(error))
    except Exception as error:  # a peer may fail in any way; the row says how
        return answer("failed", f"{type(error).__name__}: {error}")
    hello = {
        "peer": name,
        "version": peer.version,
        "language": f"Python {platform.python_version()}",
        "threads": peer.threads,
        "load_s": time.perf_counter() - begun,
        "conditions": peer.conditions,
        "check": check,
    }
    answer("hello", hello)
    gc.disable()
    result = None
    for line in sys.stdin:
        words = line.split()
        try:
            if words[:1] == ["run"]:
                runs = int(words[1])
                result = None
                seconds, result = timed(peer, runs)
                answer("ran", {"runs": runs, "seconds": seconds})
                gc.collect()
            elif words == ["digest"]:
                answer("digest", digest(peer.values(result)))
            else:
                answer("failed", f"an unknown request: {line.strip()}")
        except Exception as error:
            return answer("failed", f"{type(error).__name__}: {error}")
