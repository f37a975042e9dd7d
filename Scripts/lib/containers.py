"""Containers without a container engine: namespaces, a read-only root and cgroups of version 1 or 2.

The root folder is the one that debootstrap creates; Scripts/lib/debian-root.sh. Needs root and util-linux.
"""

import os
import re
import subprocess
import tempfile
import time

import serving

MIB = 1 << 20
UID = 12345


class Limits:
    """Two limits of a new cgroup below the one of this process: memory in bytes, CPU time as a number of processors.

    `version` is 1 or 2, and `folders` has the folder of each controller; in version 2 both are the same.
    """

    def __init__(self, name, memory=None, processors=None):
        mounts, own = _mounts(), _own_cgroups()
        self.name, self.hierarchies = name, {}
        if all(controller in mounts for controller in ("cpu", "memory")):
            self.version = 1
            for controller in ("cpu", "memory"):
                # The new cgroup is below that of this process, so that the limits of this machine remain in force.
                self.hierarchies[controller] = (mounts[controller], own[controller].rstrip("/") + "/" + name)
        elif "cgroup2" in mounts:
            self.version = 2
            _write(mounts["cgroup2"] + "/cgroup.subtree_control", "+cpu +memory")
            self.hierarchies = dict.fromkeys(("cpu", "memory"), (mounts["cgroup2"], "/" + name))
        else:
            serving.fail("no cgroup with the controllers cpu and memory is mounted")
        self.folders = {key: mount + path for key, (mount, path) in self.hierarchies.items()}
        for folder in set(self.folders.values()):
            os.mkdir(folder)
        if memory:
            _write(self.file("memory", "memory.limit_in_bytes", "memory.max"), str(memory))
            # Without swap, the limit applies to all memory; the file is missing when the kernel counts no swap.
            swap = self.file("memory", "memory.memsw.limit_in_bytes", "memory.swap.max")
            if os.path.exists(swap):
                _write(swap, str(memory) if self.version == 1 else "0")
        if processors and self.version == 1:
            _write(self.folders["cpu"] + "/cpu.cfs_period_us", "100000")
            _write(self.folders["cpu"] + "/cpu.cfs_quota_us", str(int(processors * 100_000)))
        elif processors:
            _write(self.folders["cpu"] + "/cpu.max", f"{int(processors * 100_000)} 100000")

    def file(self, controller, v1, v2):
        return self.folders[controller] + "/" + (v1 if self.version == 1 else v2)

    def joins(self):
        """Shell command by which a shell enters the cgroup."""
        return "; ".join(f"echo 0 >{folder}/cgroup.procs" for folder in sorted(set(self.folders.values())))

    def peak(self):
        """Largest memory use in bytes, with the page cache."""
        return int(_read(self.file("memory", "memory.max_usage_in_bytes", "memory.peak")))

    def oom_kills(self):
        text = _read(self.file("memory", "memory.oom_control", "memory.events"))
        return int(re.search(r"^oom_kill (\d+)$", text, re.M).group(1))

    def throttled(self):
        """Number of periods in which the CPU quota was used up."""
        return int(re.search(r"^nr_throttled (\d+)$", _read(self.folders["cpu"] + "/cpu.stat"), re.M).group(1))

    def remove(self):
        for folder in set(self.folders.values()):
            end = time.monotonic() + 10
            while os.path.isdir(folder):
                try:
                    os.rmdir(folder)
                except OSError:  # Processes that ended are removed with a delay.
                    if time.monotonic() > end:
                        serving.fail(f"{folder} cannot be removed: it has processes")
                    time.sleep(0.02)


# Shell commands that mount /sys/fs/cgroup in a container. For each hierarchy, `mount` is its mount point on the host,
# `path` the container's cgroup in it, `point` its mount point in the container, and `options` its controllers.
LAYOUTS = {
    # Container engines with a cgroup namespace: the paths in /proc/self/cgroup are `/`.
    "namespace": {1: "mount -t cgroup -o ro,{options} cgroup {point}", 2: "mount -t cgroup2 -o ro cgroup {point}"},
    # Container engines without a cgroup namespace: the mount begins at the cgroup of the container, but
    # /proc/self/cgroup contains the path of this cgroup on the host.
    "bind": dict.fromkeys((1, 2), "mount --bind {mount}{path} {point}; mount -o remount,bind,ro {point}"),
    # The complete hierarchy of the host is mounted, without a cgroup namespace.
    "host": dict.fromkeys((1, 2), "mount --bind {mount} {point}; mount -o remount,bind,ro {point}"),
}


class Container(serving.Server):
    """A command as process 1 of new mount, pid, uts, ipc and cgroup namespaces, in a read-only root.

    User and group are `uid`, without a name, groups and capabilities; the environment has only the given variables. The
    network is that of the caller.

    - root: Folder with a Debian system; `layer` is a folder above it.
    - mounts: Writable folders: path in the container, and a folder of this machine or the options of a tmpfs.
    """

    def __init__(self, name, command, root, layer, limits, variables, mounts=(), layout="namespace", uid=UID):
        self.limits, self.uid = limits, uid
        self.merged = tempfile.mkdtemp(prefix="root-", dir=serving.scratch())
        lines = [
            "set -eu", "mount --make-rprivate /", "hostname container",
            # Without an upper folder, an overlay is read-only.
            f"mount -t overlay -o lowerdir={layer}:{root} overlay {self.merged}",
            f"mount -t proc -o nosuid,nodev,noexec proc {self.merged}/proc",
            f"mount -t tmpfs -o mode=755 tmpfs {self.merged}/sys/fs/cgroup",
        ]
        for controller, (mount, path) in limits.hierarchies.items():
            point = f"{self.merged}/sys/fs/cgroup" + ("/" + controller if limits.version == 1 else "")
            words = {"mount": mount, "path": path, "point": point, "options": os.path.basename(mount)}
            lines += [f"mkdir -p {point}", LAYOUTS[layout][limits.version].format(**words)]
            if limits.version == 2:
                break
        if limits.version == 1:
            lines.append(f"mount -o remount,ro {self.merged}/sys/fs/cgroup")
        for path, source in mounts:
            is_folder = source.startswith("/")
            lines.append(
                f"mount --bind {source} {self.merged}{path}" if is_folder
                else f"mount -t tmpfs -o {source} tmpfs {self.merged}{path}")
        words = ["env", "-i", *(f"{key}={value}" for key, value in variables.items())]
        words += ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--inh-caps=-all",
                  "--bounding-set=-all", "--no-new-privs", *command]
        lines += [f"cd {self.merged}", "pivot_root . .", "umount -l .", "cd /", 'exec "$@"']
        namespaces = "--mount --pid --uts --ipc --fork --kill-child" + (" --cgroup" if layout == "namespace" else "")
        super().__init__(name, [
            "sh", "-c", f'{limits.joins()}; exec unshare {namespaces} sh -c "$0" "$@"', "\n".join(lines), "sh", *words])

    @property
    def pid(self):
        """Process id on this machine of the container's process 1."""
        for pid in self.pids():
            match = re.search(r"^NSpid:.*\s(\d+)$", _read(f"/proc/{pid}/status"), re.M)
            if match and match.group(1) == "1" and pid != self.group:
                return pid
        serving.fail(f"{self.name} has no process 1:\n{self.log()}")

    def status(self, key):
        """The first number of a line of /proc/PID/status."""
        return int(re.search(rf"^{key}:\s+(\d+)", _read(f"/proc/{self.pid}/status"), re.M).group(1))

    def run(self, *command):
        """Runs another command in the container, as `docker exec` does; returns its result."""
        entry = f"{self.limits.joins()}; exec nsenter -t {self.pid} -m -p -u -i -r -w setpriv --reuid={self.uid} "
        return subprocess.run(
            ["sh", "-c", entry + '--regid=$0 --clear-groups "$@"', str(self.uid), *command], capture_output=True,
            text=True, env={"PATH": PATH})

    def exit_code(self, seconds):
        """Waits for the end; the exit code, or None when the container still runs."""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        return code if code >= 0 else 128 - code


PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def _own_cgroups():
    """Path of each controller of version 1 in /proc/self/cgroup."""
    paths = {}
    for line in _read("/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        paths.update(dict.fromkeys(controllers.split(","), path))
    return paths


def _mounts():
    """Mount point of each controller of version 1, and of `cgroup2`."""
    points = {}
    for line in _read("/proc/self/mountinfo").splitlines():
        fields, _, rest = line.partition(" - ")
        kind, _, options = rest.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            names = options.split(",") if kind == "cgroup" else [kind]
            points.update(dict.fromkeys(names, fields.split()[4]))
    return points


def _read(path):
    with open(path) as file:
        return file.read()


def _write(path, text):
    try:
        with open(path, "w") as file:
            file.write(text)
    except OSError as error:
        serving.fail(f"{path}: writing {text!r} failed: {error.strerror}")
