#!/usr/bin/env python3
"""What the generator makes of a small table is what is kept in expected/, and what a wrong line says, in errors.txt.

    test_generator.py GENERATOR            compare
    test_generator.py GENERATOR --write    keep what it makes now
"""

import difflib
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
MADE = ("sources", "fortran", "manual")

# Lines that are not understood, each behind the head of a chapter.
WRONG = (
    "Send impl loud | an unknown flag\n    buf\n",
    "Send impl | an unknown kind\n    buf:parcel\n",
    "Send impl | a mark that there is not\n    buf:!buf\n",
    "Send impl | the length is no parameter\n    ranks:rank[n]\n",
    "Send impl | once\n    -\nSend impl | twice\n    -\n",
    "Send impl\n    -\n",
    "Send core=send | a core function of no room\n    buf\n",
    "Send as=Receive | the same as nothing\n    -\n",
)


def run(generator, *arguments):
    return subprocess.run([sys.executable, generator, *map(str, arguments)], capture_output=True, text=True)


def make(generator, target):
    """The files that the generator makes of the small table, by name."""
    for what in MADE:
        (target / what).mkdir()
        done = run(generator, what, HERE / "table", target / what)
        if done.returncode != 0:
            raise SystemExit(f"{what}: {done.stdout}{done.stderr}")
    done = run(generator, "header", HERE / "table", target / "mpi.h")
    if done.returncode != 0:
        raise SystemExit(f"header: {done.stdout}{done.stderr}")
    # What does not depend on the table is not kept.
    texts = {str(p.relative_to(target)): p.read_text() for p in sorted(target.rglob("*")) if p.is_file()}
    return {name: text for name, text in texts.items() if name != "fortran/fortran_predefined.cpp"}


def errors(generator, folder):
    """What the generator says of each wrong line."""
    text = ""
    for lines in WRONG:
        (folder / "03_p2p.txt").write_text("chapter 3 p2p Messages\n\nsection 3.2 Messages\n" + lines)
        (folder / "constants.txt").write_text("")
        done = run(generator, "list-sources", folder)
        if done.returncode == 0:
            raise SystemExit(f"accepted: {lines}")
        text += lines + done.stderr.replace(str(folder) + "/", "") + "\n"
    return text


def main(generator, option=""):
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "made").mkdir()
        (scratch / "wrong").mkdir()
        made = make(generator, scratch / "made")
        made["errors.txt"] = errors(generator, scratch / "wrong")
    expected = HERE / "expected"
    kept = {str(p.relative_to(expected)) for p in expected.rglob("*") if p.is_file()}
    if option == "--write":
        for name in kept - set(made):
            (expected / name).unlink()
        for name, text in made.items():
            (expected / name).parent.mkdir(parents=True, exist_ok=True)
            (expected / name).write_text(text)
        return 0
    differences = 0
    for name in sorted(kept | set(made)):
        before = (expected / name).read_text() if name in kept else ""
        lines = difflib.unified_diff(before.splitlines(), made.get(name, "").splitlines(), "expected/" + name, "made", lineterm="")
        for line in lines:
            differences += 1
            print(line)
    if differences:
        print("If this is as it should be: test_generator.py GENERATOR --write, and look at the change.")
    return 1 if differences else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    raise SystemExit(main(*sys.argv[1:]))
