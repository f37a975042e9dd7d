#!/usr/bin/env python3
"""Thumbnails with Spark and `imagetool worker` alone (`rdd.pipe`); README.md describes input and output.

    thumbnails_spark_pipe.py INPUT OUTPUT [--size SIZE] [--master URL] [--partitions N]

Spark sends requests to a worker per partition and repeats a partition whose worker dies. The executors need no client.
"""

import argparse
import json
import os
import pathlib
import shlex
import sys

from pyspark.sql import SparkSession

parser = argparse.ArgumentParser()
parser.add_argument("input", type=pathlib.Path)
parser.add_argument("output", type=pathlib.Path)
parser.add_argument("--size", default="256")
parser.add_argument("--master", default="local[2,4]", help="default: 2 threads, 4 attempts per task")
parser.add_argument("--partitions", type=int, default=4)
arguments = parser.parse_args()
folder = arguments.output.absolute() / "thumbnails"


def request(path):
    full = os.path.abspath(path)
    return json.dumps({"id": path, "op": "thumb", "path": full, "ops": arguments.size, "format": "jpeg",
                       "output": f"{folder}{full}.jpg"})


def row(line):
    answer, names = json.loads(line), ("status", "code", "width", "height", "bytes")
    return json.dumps({"path": answer["id"], **{name: answer.get(name) for name in names}})


if arguments.input.is_dir():
    paths = sorted(str(path.absolute()) for path in arguments.input.rglob("*") if path.is_file())
else:
    paths = arguments.input.read_text().splitlines()
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
spark = SparkSession.builder.master(arguments.master).config("spark.ui.enabled", "false").getOrCreate()
lines = spark.sparkContext.parallelize([request(path) for path in paths], arguments.partitions)
worker = shlex.join([os.environ.get("PLATFORMIMAGE_IMAGETOOL", "imagetool"), "worker", "--jobs", "1"])
lines.pipe(worker, checkCode=True).map(row).saveAsTextFile(str(arguments.output.absolute() / "rows"))
spark.stop()
