"""What the filters of thumbor 7.8.0 make of a small picture, as the table in
Tests/ThumbnailServiceTests/Render/RenderThumborTable.swift: `python3 thumbor_filters.py > that file`.

Needs Python 3.11 with `pip install thumbor==7.8.0 pillow`; the compiled filters are called as its own code calls them.
"""

from PIL import Image
from thumbor.ext.filters import _brightness, _contrast, _convolution, _equalize, _rgb, _saturation, _sharpen
from thumbor.filters.blur import apply_blur

# Wide and high enough for the widest step of the sharpening, which reads beyond smaller pictures.
WIDTH, HEIGHT = 40, 34
ROWS = (0, 7, 33)


def picture():
    """The same numbers as `ThumborTable.picture` in the tests."""
    samples = [
        ((x * 6 + y) % 256, (x * x + y * y) // 8 % 256, (x ^ y) * 7 % 256) for y in range(HEIGHT) for x in range(WIDTH)
    ]
    return bytes(sample for pixel in samples for sample in pixel)


def convolved(data, matrix, columns, normalizes):
    return _convolution.apply("RGB", data, WIDTH, HEIGHT, tuple(matrix.split(";")), columns, normalizes)


# The extension modules write into the bytes that they are given: each gets its own.
FILTERS = {
    "brightness(20)": lambda data: _brightness.apply("RGB", 20, data),
    "brightness(-35)": lambda data: _brightness.apply("RGB", -35, data),
    "contrast(40)": lambda data: _contrast.apply("RGB", 40, data),
    "contrast(-60)": lambda data: _contrast.apply("RGB", -60, data),
    "rgb(20,-10,40)": lambda data: _rgb.apply("RGB", 20, -10, 40, data),
    "saturation(0.4)": lambda data: _saturation.apply("RGB", 0.4, data),
    "saturation(2.5)": lambda data: _saturation.apply("RGB", 2.5, data),
    "equalize()": lambda data: _equalize.apply("RGB", data),
    "blur(3)": lambda data: apply_blur("RGB", data, (WIDTH, HEIGHT), 3),
    "blur(5,2)": lambda data: apply_blur("RGB", data, (WIDTH, HEIGHT), 5, 2),
    "sharpen(2,1,true)": lambda data: _sharpen.apply("RGB", WIDTH, HEIGHT, 2, 1, True, data),
    "sharpen(3,0.5,false)": lambda data: _sharpen.apply("RGB", WIDTH, HEIGHT, 3, 0.5, False, data),
    "convolution(1;2;1;2;4;2;1;2;1,3,true)": lambda data: convolved(data, "1;2;1;2;4;2;1;2;1", 3, True),
    "convolution(-1;-1;-1;-1;8;-1;-1;-1;-1,3,false)": lambda data: convolved(
        data, "-1;-1;-1;-1;8;-1;-1;-1;-1", 3, False
    ),
    "grayscale()": lambda data: Image.frombytes("RGB", (WIDTH, HEIGHT), data).convert("L").convert("RGB").tobytes(),
}


def main():
    print("#if Service")
    print("// Made by Fixtures/make/thumbor_filters.py: rows 0, 7 and 33 of what thumbor 7.8.0 and Pillow give.")
    print("extension ThumborTable {\n    static let entries: [(filter: String, samples: String)] = [")
    for name, apply in FILTERS.items():
        data = bytes(apply(bytes(bytearray(picture()))))
        text = "".join(data[y * WIDTH * 3 : (y + 1) * WIDTH * 3].hex() for y in ROWS)
        print(f'        (\n            "{name}",\n            """')
        print("\n".join("            " + text[at : at + 96] for at in range(0, len(text), 96)))
        print('            """\n        ),')
    print("    ]\n}\n#endif")


if __name__ == "__main__":
    main()
