"""Record batches."""

from __future__ import annotations

import pathlib

import pytest
from conftest import expected, images

from platformimage import Worker

pa = pytest.importorskip("pyarrow")


def test_rows_keep_their_order() -> None:
    from platformimage.arrow import SCHEMA, thumbnails

    paths = [str(path) for path in images()]
    rows = [*paths, None, "/none.jpg", paths[0]]
    sizes = ["64"] * len(paths) + ["64", "64", None]
    with Worker(jobs=2) as worker:
        batch = pa.record_batch({"path": pa.array(rows, pa.string()), "ops": pa.array(sizes, pa.string())})
        result = thumbnails(worker, batch)
        empty = thumbnails(worker, batch.slice(0, 0))
        part = thumbnails(worker, batch.slice(1, 3))

    assert result.schema == SCHEMA and empty.num_rows == 0
    assert result.column("bytes").to_pylist() == [*(expected(path, "64") for path in images()), None, None, None]
    assert result.column("code").to_pylist() == [None] * len(paths) + ["invalidRequest", "noInput", "invalidRequest"]
    assert result.column("status").to_pylist() == ["complete"] * len(paths) + ["failed"] * 3
    assert result.column("width").null_count == 3
    assert part.equals(result.slice(1, 3))


@pytest.mark.parametrize("kind", ["binary", "large_binary"])
def test_inline_images_have_the_same_results(kind: str) -> None:
    from platformimage.arrow import thumbnails

    sources = [path.read_bytes() for path in images()]
    with Worker(jobs=2) as worker:
        result = thumbnails(worker, pa.record_batch({
            "bytes": pa.array([*sources, None], getattr(pa, kind)()), "ops": ["64"] * (len(sources) + 1)}))
    assert result.column("bytes").to_pylist() == [*(expected(path, "64") for path in images()), None]


def test_files_are_written_and_counted(tmp_path: pathlib.Path) -> None:
    from platformimage.arrow import FILE_SCHEMA, thumbnail_files

    outputs = [str(tmp_path / f"{path.stem}.out") for path in images()] + [str(tmp_path / "none")]
    with Worker(jobs=2) as worker:
        result = thumbnail_files(worker, pa.record_batch({
            "path": [*map(str, images()), "/none.jpg"], "ops": ["64"] * len(outputs), "output": outputs}))
    assert result.schema == FILE_SCHEMA
    assert result.column("bytes").to_pylist() == [*(len(expected(path, "64")) for path in images()), None]
    for path, output in zip(images(), outputs):
        assert pathlib.Path(output).read_bytes() == expected(path, "64")


def test_missing_columns_are_named() -> None:
    from platformimage.arrow import thumbnails

    with Worker() as worker, pytest.raises(ValueError, match="ops"):
        thumbnails(worker, pa.record_batch({"path": ["a"]}))


def test_extension_of_each_output_selects_its_format(tmp_path: pathlib.Path) -> None:
    from platformimage.arrow import thumbnail_files

    formats = ["webp", "gif", "png", "jpeg"]
    outputs = [str(tmp_path / f"a.{format}") for format in formats]
    batch = pa.record_batch({"path": [str(images()[0])] * 4, "ops": ["64"] * 4, "output": outputs})
    with Worker(jobs=2) as worker:
        thumbnail_files(worker, batch)
        for format, output in zip(formats, outputs):
            assert pathlib.Path(output).read_bytes() == expected(images()[0], "64", "--format", format)
        thumbnail_files(worker, batch, format="png")
        assert pathlib.Path(outputs[0]).read_bytes() == expected(images()[0], "64", "--format", "png")
