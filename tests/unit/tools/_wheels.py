"""Small wheels for tests, made without building anything."""

from pathlib import Path

from eve_replay.tools.wheels import write_zip


def make_wheel(folder: Path, name, version="1.0", requires=(), extras=(), tag="py3-none-any"):
    """Write a wheel that holds one empty module and says what it needs."""
    plain = name.replace("-", "_")
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    lines += [f"Provides-Extra: {each}" for each in extras] + [f"Requires-Dist: {each}" for each in requires]
    inside = f"{plain}-{version}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n"
    files = {
        f"{plain}.py": b"",
        f"{inside}/METADATA": "\n".join([*lines, ""]).encode(),
        f"{inside}/WHEEL": wheel.encode(),
    }
    record = "".join(f"{each},,\n" for each in [*files, f"{inside}/RECORD"])
    files[f"{inside}/RECORD"] = record.encode()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{plain}-{version}-{tag}.whl"
    write_zip(path, ((each, data, 0o644) for each, data in files.items()))
    return path
