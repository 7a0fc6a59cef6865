"""What a contestant of the protocol takes: time to load, time of the job, most memory.

    python memory.py RUNS COMMAND...

for example `python memory.py 5 python graphs.py peer=scipy job=levels graph=web.mtx source=1`, or with
`star-benches contestant peer=petgraph ...` as the command. It prints a line: seconds to load, least and
greatest milliseconds of a run, most memory of the process in MB (10^6 bytes), digest of the result.
The memory is that of the whole process, its reading of the file and its libraries included. The job
`components` (strong components) is there for scipy and rustworkx.
"""

import json
import os
import subprocess
import sys


def main():
    runs, command = int(sys.argv[1]), sys.argv[2:]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def heard():
        line = process.stdout.readline()
        answer = json.loads(line) if line else {"failed": "it has ended"}
        for kind in ("missing", "failed"):
            if kind in answer:
                sys.exit(f"{kind}: {answer[kind]}")
        return answer

    def asked(request):
        process.stdin.write(request + "\n")
        process.stdin.flush()
        return heard()

    hello = heard()["hello"]
    times = [asked("run 1")["ran"]["seconds"] for _ in range(runs)]
    digest = asked("digest")["digest"]
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"it ended with {status}")
    print(
        f"{hello['peer']} {hello['version']}: loading {hello['load_s']:.2f} s,",
        f"{min(times) * 1e3:.2f} to {max(times) * 1e3:.2f} ms,",
        # Linux counts in KiB.
        f"{usage.ru_maxrss * 1024 / 1e6:.0f} MB, digest {digest}",
    )


if __name__ == "__main__":
    main()
