"""CPU time and peak memory of a process, as reported by the kernel, for the benchmark scripts."""

import json
import os
import subprocess
import sys

# ru_maxrss of a process starts with the peak resident size of its parent, so the launcher must not import numpy.
LAUNCHER = """
import json, os, sys
for line in sys.stdin:
    command, environment = json.loads(line)
    quiet = [(os.POSIX_SPAWN_OPEN, n, "/dev/null", os.O_RDWR, 0) for n in (0, 1)]
    pid = os.posix_spawnp(command[0], command, {**os.environ, **environment}, file_actions=quiet)
    _, status, usage = os.wait4(pid, 0)
    print(json.dumps([status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss]), flush=True)
"""
launcher = None


def run(command, environment=None):
    """CPU seconds (user and system) and peak resident KiB of one process; exits when the process fails."""
    global launcher
    if launcher is None:
        launcher = subprocess.Popen(
            [sys.executable, "-IS", "-c", LAUNCHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    print(json.dumps([command, environment or {}]), file=launcher.stdin, flush=True)
    status, seconds, kib = json.loads(launcher.stdout.readline())
    if status != 0:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {' '.join(command)} failed")
    return seconds, kib
