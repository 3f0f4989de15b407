"""`make package`: builds wheel and sdist, installs the wheel on its own and uses it, without the checkout.

    .venv/bin/python tests/packaging/check_wheel.py           needs the package `build`, and PyPI

The first check that fails ends the run with a message. The library is proved twice, for the wheel from
the sdist and for that which pip builds from the checkout.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("lean_gym", "lean_gym_cli", "lean_gym_verifiers", "minilean", "trainers", "envs_data")
PROVED = "minilean/library/proved.bin"
PAGE = {f"trainers/reporting/page/page.{kind}" for kind in ("css", "html", "js")}
LEAN = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  constructor\n  exact h.2\n  exact h.1\n#check swap\n"
PRINTED = "swap (p q : Prop) (h : p ∧ q) : q ∧ p\n"


def run(*command: str | Path, cwd: Path, home: Path | None = None) -> str:
    """Return the standard output of a command; end the process with its errors if it fails.

    Args:
        command: Program and arguments.
        cwd: Where it runs.
        home: Value of `XDG_CACHE_HOME`, for programs that must find nothing of the checkout.
    """
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    if home is not None:
        environment["XDG_CACHE_HOME"] = str(home)
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if done.returncode != 0:
        shown = " ".join(map(str, command))
        sys.exit(f"{shown}: exit status {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def expect(holds: bool, message: str) -> None:
    """End the process with a message unless something holds."""
    if not holds:
        sys.exit(f"packaging: {message}")


def say(text: str) -> None:
    """Print a step with the time since the start."""
    print(f"packaging, {time.monotonic() - BEGAN:4.0f} s: {text}", flush=True)


def build(work: Path) -> tuple[Path, Path]:
    """Build the sdist, a wheel from it and, with pip, a wheel from the checkout; return sdist and wheel.

    Both wheels have to be the same, byte for byte.
    """
    run(sys.executable, "-m", "build", "--outdir", work / "from_sdist", ROOT, cwd=work)
    pip_wheel = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir")
    run(*pip_wheel, work / "from_checkout", ROOT, cwd=work)  # what `pip install .` installs
    [sdist] = (work / "from_sdist").glob("*.tar.gz")
    [wheel] = (work / "from_sdist").glob("*.whl")
    [other] = (work / "from_checkout").glob("*.whl")
    expect(wheel.name == other.name, f"the sdist builds {wheel.name}, the checkout {other.name}")
    ours, theirs = contents(wheel), contents(other)
    changed = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
    expect(not changed, f"sdist and checkout build other wheels; these files differ: {changed[:10]}")
    return sdist, wheel


def contents(wheel: Path) -> dict[str, bytes]:
    """Return the files of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def check_contents(sdist: Path, wheel: Path) -> None:
    """Check which files the wheel and the sdist hold."""
    files = contents(wheel)
    tops = {name.split("/")[0] for name in files}
    allowed = {*PACKAGES, wheel.name.removesuffix("-py3-none-any.whl") + ".dist-info"}
    expect(tops == allowed, f"the wheel holds {sorted(tops)}, expected {sorted(allowed)}")
    lacking = sorted({PROVED, *PAGE} - files.keys())
    expect(not lacking, f"the wheel lacks {lacking}")
    stray = [name for name in files if re.search(r"README\.md|__pycache__|(^|/)(test_|conftest)", name)]
    expect(not stray, f"the wheel holds {stray}")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    expect(PROVED not in names, f"the sdist holds {PROVED}, which is to be proved by the build")
    missing = {"hatch_build.py", "README.md", "LICENSE", "tests/test_packaging.py"} - names
    expect(not missing, f"the sdist lacks {sorted(missing)}")


def fresh_python(folder: Path) -> Path:
    """Make a virtual environment; return its interpreter."""
    run(sys.executable, "-m", "venv", folder, cwd=folder.parent)
    return folder / "bin" / "python"


def check_use(python: Path, work: Path) -> None:
    """Use what is installed, in an empty directory with an empty cache."""
    empty = work / "empty"
    empty.mkdir()
    home = work / "cache"
    readme = (ROOT / "README.md").read_text("utf-8")
    snippet = re.search(r"^```python\n(.*?)^```\n.*?^```text\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    expect(snippet is not None, "README.md has no ```python block with a ```text block after it")
    assert snippet is not None
    printed = run(python, "-c", snippet[1], cwd=empty, home=home)
    expect(printed == snippet[2], f"README's program printed {printed!r}, expected {snippet[2]!r}")
    expect(not home.exists(), "the first reset() proved the library instead of loading the shipped one")
    (work / "Swap.lean").write_text(LEAN, "utf-8")
    printed = run(python, "-m", "minilean", "check", work / "Swap.lean", cwd=empty, home=home)
    expect(printed == PRINTED, f"`minilean check` printed {printed!r}, expected {PRINTED!r}")
    run(python, "-m", "envs_data.validate", "logic", "--limit", "1", cwd=empty, home=home)
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*")}
    run(python, "-m", "envs_data.automation", "algebra:test", cwd=empty, home=home)
    after = {path: path.stat().st_mtime_ns for path in home.rglob("*")}
    expect(
        after == before,
        "the results of automation on the set of the main job are not shipped: they were measured",
    )
    command = python.parent / "lean-gym"
    expect("lean-gym VERB" in run(command, cwd=empty, home=home), "`lean-gym` does not list its verbs")
    printed = run(command, "check", work / "Swap.lean", cwd=empty, home=home)
    expect(printed == PRINTED, f"`lean-gym check` printed {printed!r}, expected {PRINTED!r}")
    done = subprocess.run([str(command), "train"], cwd=empty, capture_output=True, text=True)
    expect(
        done.returncode == 1 and done.stderr.count("\n") == 1 and "lean-gym[train]" in done.stderr,
        f"`lean-gym train` without the extra: exit status {done.returncode}, {done.stderr!r}",
    )
    for script in ("lean-gym", "minilean-repl"):
        printed = run(python.parent / script, "--version", cwd=empty, home=home)
        expect(re.search(r"\d+\.\d+\.\d+", printed) is not None, f"`{script} --version` printed {printed!r}")
    kept = [path.name for path in home.rglob("*") if path.is_file()]  # what automation proves, by `validate`
    expect(all(name.startswith("automation-") for name in kept), f"a command left {kept} in the cache")
    expect(not any(empty.iterdir()), "a command left files behind")


def main() -> None:
    """Run all checks in a temporary directory."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        say("building sdist and wheels")
        sdist, wheel = build(work)
        check_contents(sdist, wheel)
        say(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, the same from sdist and checkout")
        python = fresh_python(work / "from_wheel")
        run(python, "-m", "pip", "install", "--quiet", wheel, cwd=work)
        check_use(python, work)
        say("installed from the wheel and used, no library was proved")


BEGAN = time.monotonic()

if __name__ == "__main__":
    main()
