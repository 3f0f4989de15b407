"""Exports: read back by an independent reader, or compared with hand-made text."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from minilean.export import command as export_command
from minilean.export.command import main, script_text
from minilean.export.format import export_ndjson
from minilean.kernel.environment import Environment
from minilean.kernel.expr import (
    Expr,
    mk_app,
    mk_bvar,
    mk_const,
    mk_lam,
    mk_lit,
    mk_pi,
    mk_proj,
    mk_sort,
)
from minilean.kernel.level import ZERO, Level, mk_imax, mk_max, mk_param, mk_succ
from minilean.library import load

SOURCE = """
theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := ⟨h.2, h.1⟩
def dbl : Nat → Nat
  | 0 => 0
  | n + 1 => dbl n + 2
theorem dbl_two : dbl 2 = 4 := rfl
"""


class _Reader:
    """Reader of lean4export's text into a new kernel environment, in which every declaration is checked again."""

    def __init__(self) -> None:
        self.env = Environment()
        self.names: dict[int, str] = {0: ""}
        self.levels: dict[int, Level] = {0: ZERO}
        self.terms: dict[int, Expr] = {}
        self.pending: list[str] | None = None
        self.ctors: list[tuple[str, Expr]] = []

    def read(self, text: str) -> None:
        for line in text.splitlines()[1:]:
            words = line.split(" ")
            if words[0].startswith("#"):
                self.declare(words)
            else:
                self.item(int(words[0]), words[1], words[2:])

    def item(self, index: int, kind: str, rest: list[str]) -> None:
        if kind == "#NS":
            prefix = self.names[int(rest[0])]
            self.names[index] = f"{prefix}.{rest[1]}" if prefix else rest[1]
        elif kind == "#US":
            self.levels[index] = mk_succ(self.levels[int(rest[0])])
        elif kind in ("#UM", "#UIM"):
            make = mk_max if kind == "#UM" else mk_imax
            self.levels[index] = make(self.levels[int(rest[0])], self.levels[int(rest[1])])
        elif kind == "#UP":
            self.levels[index] = mk_param(self.names[int(rest[0])])
        elif kind != "#RR":
            self.terms[index] = self.term(kind, rest)

    def term(self, kind: str, rest: list[str]) -> Expr:
        if kind == "#EV":
            return mk_bvar(int(rest[0]))
        if kind == "#ES":
            return mk_sort(self.levels[int(rest[0])])
        if kind == "#EC":
            return mk_const(self.names[int(rest[0])], tuple(self.levels[int(u)] for u in rest[1:]))
        if kind == "#EA":
            return mk_app(self.terms[int(rest[0])], self.terms[int(rest[1])])
        if kind in ("#EL", "#EP"):
            make = mk_lam if kind == "#EL" else mk_pi
            info = ["#BD", "#BI", "#BS", "#BC"].index(rest[0])
            return make(self.names[int(rest[1])], self.terms[int(rest[2])], self.terms[int(rest[3])], info)
        if kind == "#EJ":
            return mk_proj(self.names[int(rest[0])], int(rest[1]), self.terms[int(rest[2])])
        assert kind == "#ELN", kind
        return mk_lit(int(rest[0]))

    def declare(self, words: list[str]) -> None:
        kind, rest = words[0], [int(w) if w.isdigit() else w for w in words[1:]]
        if kind == "#IND":
            self.flush()
            self.pending = words
            return
        if kind == "#CTOR":
            self.ctors.append((self.names[rest[0]], self.terms[rest[1]]))
            return
        if kind == "#REC":
            self.flush()
            # the exported recursor is the one that the kernel derives
            assert self.env.get(self.names[rest[0]]).type is self.terms[rest[1]]
            return
        self.flush()
        name, type_ = self.names[rest[0]], self.terms[rest[1]]
        if kind == "#THM":
            params = [self.names[i] for i in rest[3:]]
            self.env.add_theorem(name, params, type_, self.terms[rest[2]])
        elif kind == "#DEF":
            start = 5 if rest[3] == "R" else 4
            params = [self.names[i] for i in rest[start:]]
            self.env.add_definition(name, params, type_, self.terms[rest[2]], abbrev=rest[3] == "A")
        elif kind == "#AX":
            self.env.add_axiom(name, [self.names[i] for i in rest[2:]], type_)
        elif name == "Quot":
            self.env.add_quot()

    def flush(self) -> None:
        if self.pending is None:
            return
        row = [int(w) for w in self.pending[1:]]
        count = row[9]
        params = [self.names[i] for i in row[10 + count :]]
        self.env.add_inductive(self.names[row[0]], params, row[5], self.terms[row[1]], self.ctors)
        self.pending, self.ctors = None, []


@pytest.fixture(scope="module", autouse=True)
def one_library() -> Iterator[None]:
    """The library with its proofs, built once for all tests: exports only add to children of it. It ends early."""
    names = [path.name for path in load.library_files()]
    files = load.library_files()[: names.index("NatSub.lean") + 1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load, "library_files", lambda: files)
        patch.setattr(export_command, "build_library", cache(export_command.build_library))
        yield


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "T.lean"
    path.write_text(SOURCE, "utf-8")
    return path


def test_the_older_format_is_checked_again_by_a_fresh_kernel(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "t.export"
    assert main([str(source), "--as", "lean4export-2.0", "--output", str(out)]) == 0
    text = out.read_text("utf-8")
    assert text.startswith("2.0.0\n1 #NS 0 ")
    reader = _Reader()
    reader.read(text)
    assert "dbl_two" in reader.env
    assert reader.env.axioms_of(mk_const("dbl_two")) == ()


def _inhabited() -> Environment:
    """`inductive T : Type | c`, and a theorem: two of its binders differ only in the mark of machine-made names."""
    env = Environment()
    env.add_inductive("T", [], 0, mk_sort(mk_succ(ZERO)), [("T.c", mk_const("T"))])
    prop = mk_sort(ZERO)

    def implies(name: str) -> Expr:
        return mk_pi("p", prop, mk_pi(name, mk_bvar(0), mk_bvar(1)))

    env.add_theorem("t", [], implies("h"), mk_lam("p", prop, mk_lam("h✝", mk_bvar(0), mk_bvar(0))))
    env.add_theorem("t'", [], implies("h✝"), mk_const("t"))
    return env


def test_the_present_format_is_one_object_a_line() -> None:
    lines = export_ndjson(_inhabited(), ["T", "t"]).splitlines()
    assert json.loads(lines[0])["meta"]["format"] == {"version": "3.1.0"}
    assert lines[1:6] == [
        '{"in":1,"str":{"pre":0,"str":"T"}}',
        '{"il":1,"succ":0}',
        '{"ie":0,"sort":1}',
        '{"in":2,"str":{"pre":1,"str":"c"}}',
        '{"const":{"name":1,"us":[]},"ie":1}',
    ]
    names = {row["in"]: row["str"]["str"] for row in map(json.loads, lines[1:]) if "in" in row}
    block = next(json.loads(line) for line in lines if line.startswith('{"inductive"'))["inductive"]
    (former,), (ctor,), (rec,) = block["types"], block["ctors"], block["recs"]
    assert (former["name"], former["type"], former["isRec"], former["isReflexive"]) == (1, 0, False, False)
    assert (ctor["name"], ctor["induct"], ctor["cidx"], ctor["numFields"], ctor["type"]) == (2, 1, 0, 0, 1)
    assert ([names[i] for i in rec["levelParams"]], rec["numMinors"], rec["k"]) == (["u"], 1, False)
    assert [(rule["ctor"], rule["nfields"]) for rule in rec["rules"]] == [(2, 0)]
    theorem = json.loads(lines[-1])["thm"]
    assert theorem["all"] == [theorem["name"]]


def test_what_is_written_alike_has_one_number() -> None:
    rows = [json.loads(line) for line in export_ndjson(_inhabited(), ["t", "t'"]).splitlines()[1:]]
    terms = [{k: v for k, v in row.items() if k != "ie"} for row in rows if "ie" in row]
    assert all(terms.index(term) == i for i, term in enumerate(terms))
    assert [row["ie"] for row in rows if "ie" in row] == list(range(len(terms)))


def test_functions_into_the_type_make_it_reflexive() -> None:
    env = Environment()
    tree, nat = mk_const("W"), mk_const("W0")
    env.add_inductive("W0", [], 0, mk_sort(mk_succ(ZERO)), [("W0.c", nat)])
    limit = mk_pi("f", mk_pi("n", nat, tree), tree)
    env.add_inductive("W", [], 0, mk_sort(mk_succ(ZERO)), [("W.zero", tree), ("W.limit", limit)])
    types = [
        json.loads(line)["inductive"]["types"][0]
        for line in export_ndjson(env, ["W"]).splitlines()
        if line.startswith('{"inductive"')
    ]
    assert [(t["isRec"], t["isReflexive"]) for t in types] == [(False, False), (True, True)]


@pytest.mark.skipif(shutil.which("nanoda_bin") is None, reason="nanoda_bin is not installed")
@pytest.mark.parametrize("forged", [False, True])
def test_nanoda_judges_alike(tmp_path: Path, forged: bool) -> None:
    out, config = tmp_path / "t.ndjson", tmp_path / "config.json"
    lines = export_ndjson(_inhabited(), ["T", "t", "t'"]).splitlines()
    if forged:
        # a statement is not a proof of itself
        theorem = json.loads(lines[-1])["thm"]
        lines[-1] = json.dumps({"thm": {**theorem, "value": theorem["type"]}})
    out.write_text("\n".join(lines) + "\n", "utf-8")
    settings = {"export_file_path": str(out), "permitted_axioms": [], "nat_extension": True}
    config.write_text(json.dumps(settings), "utf-8")
    judged = subprocess.run(["nanoda_bin", str(config)], capture_output=True, check=False)
    assert (judged.returncode == 0) != forged, judged.stderr


def test_everything_is_for_lean4export_only(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(source), "--all"])
    assert "--all writes lean4export's formats, got --as script" in capsys.readouterr().err


def test_the_explicit_term(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(source), "--theorem", "swap", "--as", "term"]) == 0
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "theorem swap :",
        "    ∀ (x0 : Sort (0)) (x1 : Sort (0)) (x2 : @And @x0 @x1), @And @x1 @x0 :=",
        "  @fun (x0 : Sort (0)) (x1 : Sort (0)) (x2 : @And @x0 @x1) => "
        "@And.intro @x1 @x0 (@And.right @x0 @x1 @x2) (@And.left @x0 @x1 @x2)",
    ]


def test_a_field_that_is_a_function_is_bracketed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`@x1.1 a` is no application in early versions of Lean 4."""
    file = tmp_path / "Field.lean"
    file.write_text(
        "theorem t (f : Nat → Nat) (h : (∀ n, f n = n) ∧ f 0 = 1) : f 3 = 3 := by simp only [h]", "utf-8"
    )
    assert main([str(file), "--as", "term"]) == 0
    assert "((@x1.1) (" in capsys.readouterr().out


def test_what_cannot_be_exported(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(source), "--theorem", "swpa"]) == 1
    assert "did you mean 'swap'" in capsys.readouterr().err
    bad = tmp_path / "Bad.lean"
    bad.write_text("theorem t : 1 = 2 := rfl", "utf-8")
    assert main([str(bad)]) == 1
    assert "line 1" in capsys.readouterr().err


def test_a_script_becomes_a_file() -> None:
    text = script_text("theorem t (p : Prop) : p → p", ["intro h", "case x =>\n  exact h"])
    assert text == "theorem t (p : Prop) : p → p := by\n  intro h\n  case x =>\n    exact h\n"
