#!/usr/bin/env python3
"""Thumbnails with Daft, on one machine or on a Ray cluster; README.md describes input and output.

    thumbnails_daft.py INPUT OUTPUT [--size SIZE] [--runner native|ray] [--workers N] [--jobs N]
"""

import argparse
import os
import pathlib

import daft
import pyarrow as pa
from daft import DataType
from platformimage import Worker
from platformimage.arrow import FILE_SCHEMA, thumbnail_files

parser = argparse.ArgumentParser()
parser.add_argument("input", type=pathlib.Path)
parser.add_argument("output", type=pathlib.Path)
parser.add_argument("--size", default="256")
parser.add_argument("--runner", choices=["native", "ray"], default="native")
parser.add_argument("--workers", type=int, default=1, help="worker processes in the cluster")
parser.add_argument("--jobs", type=int, default=0, help="concurrent requests of a worker; 0 is one per core")
arguments = parser.parse_args()

ROW = DataType.struct({field.name: DataType.from_arrow_type(field.type) for field in FILE_SCHEMA})


@daft.cls(max_concurrency=arguments.workers)
class Thumbnails:
    """Holds a worker; Daft creates one object per concurrent call, in the process that uses it."""

    def __init__(self, jobs):
        self.worker = Worker(jobs)

    @daft.method.batch(return_dtype=ROW, unnest=True, batch_size=64)
    def make(self, path, output, size):
        batch = pa.record_batch({
            "path": path.to_arrow(), "output": output.to_arrow(), "ops": pa.array([size] * len(path))})
        return thumbnail_files(self.worker, batch, format="jpeg").to_struct_array()


if arguments.runner == "ray":
    daft.set_runner_ray()
else:
    daft.set_runner_native()
if arguments.input.is_dir():
    paths = sorted(str(path.absolute()) for path in arguments.input.rglob("*") if path.is_file())
else:
    paths = arguments.input.read_text().splitlines()
folder = arguments.output.absolute() / "thumbnails"
outputs = [f"{folder}{os.path.abspath(path)}.jpg" for path in paths]
rows = daft.from_pydict({"path": paths, "output": outputs})
rows = rows.select(Thumbnails(arguments.jobs).make(rows["path"], rows["output"], arguments.size))
rows.write_parquet(str(arguments.output / "rows"))
