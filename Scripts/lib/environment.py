#!/usr/bin/env python3
"""Python environments with the packages that a script needs; they are created on first use.

    Scripts/lib/environment.py [images|peers|thumbor|iiif|libthumbor|h11|site|batch]

Prints the path of the interpreter of an environment.

A script calls `ensure` before it imports a package: `ensure` continues the script in an interpreter that has the
packages. It prefers PYTHON (default python3) where an environment allows that, and otherwise creates a virtual
environment in a folder `.build-*` and installs the packages from PyPI.
"""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Set in the environment of the restarted script, so that it does not restart itself again.
MARK = "PLATFORMIMAGE_SCRIPT_ENVIRONMENT"


class Environment:
    """The packages of a kind of scripts.

    - folder: the virtual environment, relative to the root of the repository.
    - test: a Python program that succeeds when all packages are present.
    - packages: arguments of `pip install`, one list per call.
    - kind: the argument of Scripts/bootstrap that installs the system packages.
    - accepts_system: an interpreter that has the packages already is used instead of the folder.
    """

    def __init__(self, folder, test, packages, kind="bench", accepts_system=False):
        self.folder, self.test, self.packages = os.path.join(ROOT, folder), test, packages
        self.kind, self.accepts_system = kind, accepts_system

    def is_complete(self, python):
        command = [python, "-c", self.test]
        try:
            return subprocess.run(command, env=self.variables(), capture_output=True).returncode == 0
        except FileNotFoundError:
            return False

    def variables(self):
        """Environment variables of the interpreter: packages of PYTHONPATH would hide those of the folder."""
        return dict(os.environ) if self.accepts_system else {**os.environ, "PYTHONPATH": ""}

    def python(self):
        """The path of an interpreter that has the packages; installs them when they are missing."""
        system, own = os.environ.get("PYTHON", "python3"), os.path.join(self.folder, "bin/python3")
        for python in [system, own] if self.accepts_system else [own]:
            if self.is_complete(python):
                return python
        bootstrap = [os.path.join(ROOT, "Scripts/bootstrap"), self.kind]
        if subprocess.run(bootstrap, stdout=sys.stderr).returncode != 0:
            sys.exit("environment: Scripts/bootstrap failed")
        if not os.path.exists(own):
            subprocess.run([system, "-m", "venv", self.folder], check=True)
        print(f"environment: installing packages into {self.folder}", file=sys.stderr)
        for arguments in self.packages:
            pip = [own, "-m", "pip", "install", "--quiet", *arguments]
            subprocess.run(pip, env=self.variables(), stdout=sys.stderr, check=True)
        if not self.is_complete(own):
            sys.exit(f"environment: {self.folder} lacks packages after the installation")
        return own


HAS_PHOTOGRAPHS = "import importlib.util as u, numpy, PIL, sys; sys.exit(u.find_spec('skimage') is None)"
# Scripts use only the photographs of scikit-image, so its dependencies are not installed.
PHOTOGRAPHS = ["--no-deps", "scikit-image"]
ENVIRONMENTS = {
    # Packages that generate the images of the benchmarks.
    "images": Environment(
        ".build-bench-python", HAS_PHOTOGRAPHS, [["numpy", "pillow"], PHOTOGRAPHS], accepts_system=True),
    # The packages of `images`, and the decoders of Benchmarks/peers.py.
    "peers": Environment(
        ".build-bench-python", f"import pyvips, cv2, imagecodecs; {HAS_PHOTOGRAPHS}",
        [["numpy", "pillow"], PHOTOGRAPHS, ["pyvips[binary]", "opencv-python-headless", "imagecodecs"]],
        accepts_system=True),
    # thumbor 7.8.0 with its faster HTTP client (pycurl), and the packages that generate the images of the service
    # scripts.
    "thumbor": Environment(
        ".build-thumbor/venv",
        "import importlib.metadata as m, pycurl; assert m.version('thumbor') == '7.8.0'; " + HAS_PHOTOGRAPHS,
        [["thumbor==7.8.0", "pycurl", "numpy", "pillow"], PHOTOGRAPHS], kind="service"),
    # The public validator of the IIIF Image API. To read its version number, it uses an API that newer versions of
    # setuptools do not contain.
    "iiif": Environment(
        ".build-check-iiif/venv", "import iiif_validator.validator, magic, PIL",
        [["setuptools<81", "iiif-validator", "pillow"]], kind="iiif"),
    # thumbor's client library.
    "libthumbor": Environment(
        ".build-check-libthumbor/venv",
        "import importlib.metadata as m, libthumbor; assert m.version('libthumbor') == '2.0.2'",
        [["libthumbor==2.0.2"]]),
    # An HTTP/1.1 parser that the HTTP server is compared with.
    "h11": Environment(
        ".build-check-h11/venv", "import importlib.metadata as m, h11; assert m.version('h11') == '0.16.0'",
        [["h11==0.16.0"]]),
    # The batch engines of Examples/batch.
    "batch": Environment(
        ".build-batch/venv",
        "import importlib.metadata as m, daft, pandas, pyarrow, pyspark, ray; assert m.version('daft') == '0.7.26'; "
        + HAS_PHOTOGRAPHS,
        [["-r", os.path.join(ROOT, "Examples/batch", name)] for name in (
            "requirements-daft.txt", "requirements-ray.txt", "requirements-spark.txt")]
        + [["numpy==2.4.6", "pillow==13.0.0"], PHOTOGRAPHS], kind="batch"),
    # Renders the documents of the site.
    "site": Environment(
        ".build-site-python", "import markdown_it", [["markdown-it-py>=3,<5"]], accepts_system=True),
}


def ensure(name):
    """Continues the script in an interpreter that has the packages of an environment."""
    if os.environ.pop(MARK, None) == name:
        return
    environment = ENVIRONMENTS[name]
    run_in(environment.python(), name, environment.variables())


def run_in(python, name, variables):
    """Restarts the script in another interpreter, unless it was restarted for `name` already."""
    if os.environ.pop(MARK, None) == name:
        return
    sys.stdout.flush()
    os.execvpe(python, [python, *sys.argv], {**variables, MARK: name})


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else "images"
    if chosen not in ENVIRONMENTS or len(sys.argv) > 2:
        sys.exit(f"usage: environment.py [{'|'.join(ENVIRONMENTS)}]")
    print(ENVIRONMENTS[chosen].python())
