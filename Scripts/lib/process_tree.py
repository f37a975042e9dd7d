"""CPU time and memory of a process with all its descendants, for the verification of batch engines.

CPU is user and system time that the kernel accumulates when a process is reaped. The launcher is a child subreaper
(prctl(2)): it also reaps descendants whose parent has ended, such as decode processes and the daemons of an engine.
Memory is the peak of the sum of PSS (proportional set size, /proc/PID/smaps_rollup), sampled ten times per second.
"""

import json
import os
import subprocess
import sys
import threading

SECONDS = 0.1
# Ends the descendants that outlive the command by ten seconds; reports the exit status and the CPU seconds.
LAUNCHER = """
import ctypes, json, os, resource, signal, sys
ctypes.CDLL(None).prctl(36, 1)
def end_descendants(number, frame):
    for name in os.listdir("/proc/self/task"):
        for child in open(f"/proc/self/task/{name}/children").read().split():
            os.kill(int(child), signal.SIGKILL)
    signal.alarm(1)
signal.signal(signal.SIGALRM, end_descendants)
log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, log, 1),
           (os.POSIX_SPAWN_DUP2, log, 2)]
first = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ, file_actions=actions)
status = None
while True:
    try:
        pid, code = os.wait()
    except ChildProcessError:
        break
    if pid == first:
        status = os.waitstatus_to_exitcode(code)
        signal.alarm(10)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([status, usage.ru_utime + usage.ru_stime]))
"""


def _stat(pid):
    """Parent, CPU ticks and start time of a process; None when it has ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return int(fields[1]), int(fields[11]) + int(fields[12]), fields[19]
    except OSError:
        return None


def descendants(root):
    """Process ids of all descendants of a process, with their CPU ticks and start times."""
    stats = {int(name): _stat(name) for name in os.listdir("/proc") if name.isdigit()}
    children = {}
    for pid, stat in stats.items():
        if stat:
            children.setdefault(stat[0], []).append(pid)
    found, waiting = {}, [root]
    while waiting:
        for child in children.get(waiting.pop(), []):
            found[child] = stats[child][1:]
            waiting.append(child)
    return found


def pss(pid):
    """PSS of a process in bytes; 0 when it has ended."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return sum(int(line.split()[1]) for line in file if line.startswith("Pss:")) * 1024
    except OSError:
        return 0


class ProcessTree:
    """A command with its descendants; `on_sample` is called with their process ids.

    After `run`: status, CPU seconds, and the peak sum of PSS in bytes.
    """

    def __init__(self, command, log, environment=None, on_sample=None):
        self.command, self.log, self.on_sample = command, log, on_sample
        self.environment = {**os.environ, **(environment or {})}
        self.status, self.cpu, self.peak = None, 0.0, 0

    def run(self):
        launcher = subprocess.Popen(
            [sys.executable, "-IS", "-c", LAUNCHER, self.log, *self.command], env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, start_new_session=True)
        ended, ticks = threading.Event(), {}

        def sample():
            while not ended.wait(SECONDS):
                found = descendants(launcher.pid)
                for pid, (count, start) in found.items():
                    ticks[pid, start] = count
                self.peak = max(self.peak, sum(map(pss, found)))
                if self.on_sample:
                    self.on_sample(found)

        sampler = threading.Thread(target=sample)
        sampler.start()
        try:
            output, _ = launcher.communicate()
        finally:
            ended.set()
            sampler.join()
        self.status, cpu = json.loads(output)
        # A parent that ignores SIGCHLD does not accumulate the time of its children. Both values are lower bounds.
        self.cpu = max(cpu, sum(ticks.values()) / os.sysconf("SC_CLK_TCK"))
        return self
