#!/usr/bin/env python3
"""Thumbnails with Ray Data; README.md describes input and output.

    thumbnails_ray.py INPUT OUTPUT [--size SIZE] [--address ADDRESS] [--workers N] [--jobs N]
"""

import argparse
import os
import pathlib

import pyarrow as pa
import ray
from platformimage import Worker
from platformimage.arrow import thumbnail_files

parser = argparse.ArgumentParser()
parser.add_argument("input", type=pathlib.Path)
parser.add_argument("output", type=pathlib.Path)
parser.add_argument("--size", default="256")
parser.add_argument("--address", help="address of a cluster; without it, Ray starts on this machine")
parser.add_argument("--workers", type=int, default=1, help="worker processes in the cluster")
parser.add_argument("--jobs", type=int, default=0, help="concurrent requests of a worker; 0 is one per core")
arguments = parser.parse_args()


class Thumbnails:
    """Actor that holds a worker. Ray repeats a batch when the actor dies."""

    def __init__(self, size, jobs):
        self.worker, self.size = Worker(jobs), size

    def __call__(self, table):
        table = table.append_column("ops", pa.array([self.size] * len(table)))
        return pa.Table.from_batches([
            thumbnail_files(self.worker, batch, format="jpeg") for batch in table.to_batches()])


if arguments.address:
    ray.init(arguments.address)
else:
    ray.init(num_cpus=2, include_dashboard=False)
if arguments.input.is_dir():
    paths = sorted(str(path.absolute()) for path in arguments.input.rglob("*") if path.is_file())
else:
    paths = arguments.input.read_text().splitlines()
folder = arguments.output.absolute() / "thumbnails"
outputs = [f"{folder}{os.path.abspath(path)}.jpg" for path in paths]
rows = ray.data.from_arrow(pa.table({"path": paths, "output": outputs})).map_batches(
    Thumbnails, fn_constructor_args=(arguments.size, arguments.jobs), batch_format="pyarrow", batch_size=64,
    compute=ray.data.ActorPoolStrategy(size=arguments.workers))
rows.write_parquet(str(arguments.output.absolute() / "rows"))
