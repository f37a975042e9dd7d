#!/usr/bin/env python3
"""Thumbnails with Spark (`mapInArrow`); README.md describes input and output.

    thumbnails_spark.py INPUT OUTPUT [--size SIZE] [--master URL] [--partitions N]
"""

import argparse
import os
import pathlib
import sys

from pyspark.sql import SparkSession

parser = argparse.ArgumentParser()
parser.add_argument("input", type=pathlib.Path)
parser.add_argument("output", type=pathlib.Path)
parser.add_argument("--size", default="256")
parser.add_argument("--master", default="local[2,4]", help="default: 2 threads, 4 attempts per task")
parser.add_argument("--partitions", type=int, default=4)
arguments = parser.parse_args()


def thumbnails(batches):
    """Runs once per partition, with a worker of one job: the partitions are concurrent."""
    import pyarrow as pa
    from platformimage import Worker
    from platformimage.arrow import thumbnail_files
    with Worker(jobs=1) as worker:
        for batch in batches:
            batch = batch.append_column("ops", pa.array([arguments.size] * len(batch)))
            yield thumbnail_files(worker, batch, format="jpeg")


if arguments.input.is_dir():
    paths = sorted(str(path.absolute()) for path in arguments.input.rglob("*") if path.is_file())
else:
    paths = arguments.input.read_text().splitlines()
folder = arguments.output.absolute() / "thumbnails"
pairs = [(path, f"{folder}{os.path.abspath(path)}.jpg") for path in paths]
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
spark = SparkSession.builder.master(arguments.master).config("spark.ui.enabled", "false").getOrCreate()
frame = spark.createDataFrame(pairs, "path string, output string").repartition(arguments.partitions)
schema = "path string, status string, code string, width int, height int, bytes long"
frame.mapInArrow(thumbnails, schema).write.parquet(str(arguments.output.absolute() / "rows"), compression="zstd")
spark.stop()
