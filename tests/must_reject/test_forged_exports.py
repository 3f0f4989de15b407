"""Exports that claim a proof which is none: the judge of `verify="independent"` refuses each for the right reason.

The genuine files are made by minilean. Each test changes the solution, as a program could that the candidate took
over; the challenge stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from export_rows import (
    CONTEXT,
    NAME,
    PERMITTED,
    SCRIPT,
    STATEMENT,
    Builder,
    Row,
    changed,
    declaration,
    exported,
    judged,
    rows_of,
    text_of,
)

from minilean.export.judge import Refused, judge_exports
from minilean.export.produce import Source, proof_export
from minilean.export.reader import ReadError
from minilean.export.replay import ReplayError
from minilean.library import library
from minilean.proof import ProofError


def test_the_genuine_proof_is_accepted() -> None:
    assert judged(exported(tactics=SCRIPT)) == ()


def test_reading_and_writing_again_changes_no_verdict() -> None:
    assert judged(changed(lambda rows: None)) == ()


# --- the statement and what is below it -------------------------------------------------------------------------

OTHER_STATEMENTS = {
    "another statement": ("theorem t : True", CONTEXT, ("trivial",)),
    "a weaker statement": (
        "theorem t (x : Tree) (p : Pair) : (Small x → x = Tree.leaf)", CONTEXT, ("exact fun h => h",)
    ),
    "one more hypothesis": (
        "theorem t (x : Tree) (p : Pair) (h : False) : (Small x → x = Tree.leaf) ∧ two + p.a = p.a + 2",
        CONTEXT, ("exact h.elim",),
    ),
    "another order of variables": (
        "theorem t (p : Pair) (x : Tree) : (Small x → x = Tree.leaf) ∧ two + p.a = p.a + 2", CONTEXT, SCRIPT
    ),
    "notation": (
        'theorem t (x : Tree) (p : Pair) : (Small x → x = Tree.leaf) ∧ two + p.a = p.a + 2',
        CONTEXT + 'local notation "two" => 2\n', ("exact ⟨fun h => h, Nat.add_comm 2 p.a⟩",),
    ),
    "a local instance": (
        STATEMENT, CONTEXT + "instance (priority := high) mine : Add Nat := ⟨fun _ _ => 0⟩\n",
        ("exact ⟨fun h => h, rfl⟩",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("trick", OTHER_STATEMENTS)
def test_another_statement_is_refused(trick: str) -> None:
    solution = exported(*OTHER_STATEMENTS[trick])
    with pytest.raises(Refused, match="states something else in the solution"):
        judged(solution)


OTHER_CONTEXTS = {
    "two": CONTEXT.replace("two : Nat := 2", "two : Nat := 1 + 1"),
    "Small": CONTEXT.replace("Prop := t = Tree.leaf", "Prop := False ∧ t = Tree.leaf"),
    "Tree": CONTEXT.replace("| leaf : Tree\n", "| leaf : Tree\n  | other : Tree\n"),
    "Tree.node": CONTEXT.replace("(l r : Tree) (n : Nat)", "(l : Tree) (n : Nat) (r : Tree)"),
    "Pair": CONTEXT.replace("  a : Nat\n  b : Nat\n", "  b : Nat\n  a : Nat\n  c : Nat := 0\n"),
}


@pytest.mark.parametrize("name", OTHER_CONTEXTS)
def test_another_definition_beneath_the_same_statement_is_refused(name: str) -> None:
    scripts = [SCRIPT, ("constructor", "exact fun h => h.2", *SCRIPT[2:])]
    solution = next(text for script in scripts if (text := _try(OTHER_CONTEXTS[name], script)))
    with pytest.raises(Refused, match=r"is another constant in the solution|states something else"):
        judged(solution)


def _try(context: str, script: tuple[str, ...]) -> str | None:
    try:
        return exported(STATEMENT, context, script)
    except ProofError:
        return None


def test_a_missing_definition_is_refused() -> None:
    def drop(rows: list[Row]) -> None:
        rows.remove(declaration(rows, "two"))

    with pytest.raises(Refused, match="'two', which the statement rests on, is missing in the solution"):
        judged(changed(drop))


def test_a_missing_theorem_is_refused() -> None:
    with pytest.raises(Refused, match=f"the solution has no '{NAME}'"):
        judged(changed(lambda rows: rows.remove(declaration(rows, NAME))))


def test_a_constant_of_the_library_is_not_declared_again() -> None:
    def redeclare(rows: list[Row]) -> None:
        make = Builder(rows)
        prop = make.part("ie", {"sort": 0})
        true = make.const("True")
        row = {"name": make.name("False"), "levelParams": [], "type": prop, "value": true}
        make.add({"def": {**row, "hints": "abbrev", "safety": "safe", "all": []}})

    with pytest.raises(Refused, match="'False' is declared again by the solution"):
        judged(changed(redeclare))


# --- the proof --------------------------------------------------------------------------------------------------


def set_proof(rows: list[Row], value: int) -> None:
    declaration(rows, NAME)["thm"]["value"] = value


def test_a_value_of_another_type_is_refused() -> None:
    def change(rows: list[Row]) -> None:
        set_proof(rows, Builder(rows).const("True", "intro"))

    with pytest.raises(ReplayError, match=f"'{NAME}': .kernel. ValueTypeMismatch"):
        judged(changed(change))


@pytest.mark.parametrize("kind", ["axiom", "opaque"])
def test_a_theorem_of_another_kind_is_refused(kind: str) -> None:
    def change(rows: list[Row]) -> None:
        row = declaration(rows, NAME)
        row[kind] = {**row.pop("thm"), "isUnsafe": False}

    with pytest.raises(Refused, match=f"declared as `{kind}` in the solution, expected a theorem"):
        judged(changed(change))


def with_axiom(rows: list[Row], *name: str) -> int:
    """Add an axiom with the statement of the theorem; return its constant."""
    make = Builder(rows)
    type_ = declaration(rows, NAME)["thm"]["type"]
    row = {"name": make.name(*name), "levelParams": [], "type": type_, "isUnsafe": False}
    make.add({"axiom": row})
    return make.part("ie", {"const": {"name": row["name"], "us": []}})


def test_an_axiom_more_is_refused() -> None:
    solution = changed(lambda rows: set_proof(rows, with_axiom(rows, "cheat")))
    for permitted in (PERMITTED, None):
        with pytest.raises(Refused, match="uses axioms that the challenge does not state: cheat"):
            judged(solution, permitted)


def test_an_axiom_under_a_permitted_name_is_refused() -> None:
    solution = changed(lambda rows: set_proof(rows, with_axiom(rows, "propext")))
    with pytest.raises(Refused, match="'propext' is declared again by the solution"):
        judged(solution)
    # without a given library too
    with pytest.raises(Refused, match=r"'propext'|missing"):
        judge_exports(exported(), solution, NAME, PERMITTED)


def test_an_axiom_that_the_challenge_states_has_to_be_permitted() -> None:
    solution = changed(lambda rows: set_proof(rows, with_axiom(rows, "cheat")))
    rows = rows_of(solution)
    rows[-1] = as_axiom(rows[-1])
    challenge = text_of(rows)
    with pytest.raises(Refused, match="uses axioms that are not permitted: cheat"):
        judge_exports(challenge, solution, NAME, PERMITTED, library().kernel)
    assert judge_exports(challenge, solution, NAME, None, library().kernel) == ("cheat",)


def test_an_axiom_that_is_not_used_costs_nothing() -> None:
    assert judged(changed(lambda rows: with_axiom(rows, "cheat"))) == ()


def test_a_proof_by_itself_is_refused() -> None:
    def change(rows: list[Row]) -> None:
        number = declaration(rows, NAME)["thm"]["name"]
        set_proof(rows, Builder(rows).part("ie", {"const": {"name": number, "us": []}}))

    with pytest.raises(ReplayError, match=f"UnknownConstant: .*{NAME}"):
        judged(changed(change))


def test_two_theorems_that_prove_each_other_are_refused() -> None:
    def change(rows: list[Row]) -> None:
        make = Builder(rows)
        own = declaration(rows, NAME)["thm"]
        other = {**own, "name": make.name("other"), "all": []}
        other["value"] = make.part("ie", {"const": {"name": own["name"], "us": []}})
        make.add({"thm": other})
        own["value"] = make.part("ie", {"const": {"name": other["name"], "us": []}})

    with pytest.raises(ReplayError, match=f"'other': .kernel. UnknownConstant: .*{NAME}"):
        judged(changed(change))


def test_a_theorem_declared_twice_is_refused() -> None:
    with pytest.raises(ReadError, match=f"'{NAME}' is declared twice"):
        judged(changed(lambda rows: rows.append(dict(rows[-1]))))


# --- inductive types --------------------------------------------------------------------------------------------


def inductive(rows: list[Row], name: str = "Tree") -> Row:
    row = declaration(rows, name)["inductive"]
    assert isinstance(row, dict)
    return row


def derived_wrongly(change: Callable[[Row], None]) -> str:
    """The export of a theorem about a type of its own, whose row is changed."""
    source = Source("theorem t (x : Mine) : x = x", CONTEXT.replace("Tree", "Mine"), "", ("rfl",))
    rows = rows_of(proof_export(source))
    change(inductive(rows, "Mine"))
    return text_of(rows)


def swap_rules(row: Row) -> None:
    first, second = row["recs"][0]["rules"]
    first["rhs"], second["rhs"] = second["rhs"], first["rhs"]


def recursor_of_falsehood(row: Row) -> None:
    row["recs"][0]["type"] = row["types"][0]["type"]


INDUCTIVE_TRICKS: dict[str, Callable[[Row], None]] = {
    "rules by hand": swap_rules,
    "a rule left out": lambda row: row["recs"][0]["rules"].pop(),
    "another type of the recursor": recursor_of_falsehood,
    "k claimed": lambda row: row["recs"][0].update(k=True),
    "no recursor": lambda row: row["recs"].clear(),
    "a constructor in the wrong place": lambda row: row["ctors"][0].update(cidx=1),
    "fewer fields": lambda row: row["ctors"][1].update(numFields=1),
    "not recursive": lambda row: row["types"][0].update(isRec=False),
    "a parameter more": lambda row: row["types"][0].update(numParams=1),
}


@pytest.mark.parametrize("trick", INDUCTIVE_TRICKS)
def test_what_the_kernel_derives_cannot_be_written_by_hand(trick: str) -> None:
    # the same rows in both files, so that nothing but the kernel can object
    solution = derived_wrongly(INDUCTIVE_TRICKS[trick])
    challenge = text_of([*rows_of(solution)[:-1], as_axiom(rows_of(solution)[-1])])
    assert judge_genuine_mine() == ()
    with pytest.raises(ReplayError, match=r"'Mine(\.\w+)?': "):
        judge_exports(challenge, solution, NAME, PERMITTED, library().kernel)


def judge_genuine_mine() -> tuple[str, ...]:
    solution = derived_wrongly(lambda row: None)
    challenge = text_of([*rows_of(solution)[:-1], as_axiom(rows_of(solution)[-1])])
    return judge_exports(challenge, solution, NAME, PERMITTED, library().kernel)


def as_axiom(row: Row) -> Row:
    return {"axiom": {**row["thm"], "isUnsafe": False}}


TREES = """
mutual
inductive Mine where
  | leaf : Mine
  | node : Nat → Forest → Mine
inductive Forest where
  | nil : Forest
  | cons : Mine → Forest → Forest
end
inductive Rose where
  | node : Nat → List Rose → Rose
"""
GROUP_TRICKS: dict[str, Callable[[Row], None]] = {
    "rules of the other recursor": lambda row: row["recs"][1].update(rules=row["recs"][0]["rules"]),
    "rules swapped": swap_rules,
    "a recursor with one motive": lambda row: row["recs"][0].update(numMotives=1),
    "a recursor left out": lambda row: row["recs"].pop(),
    "a constructor moved to the other type": lambda row: row["ctors"][2].update(
        induct=row["types"][0]["name"]
    ),
    "a type left out of the group": lambda row: row["types"][0].update(all=row["types"][0]["all"][:1]),
    "nested types claimed": lambda row: row["types"][0].update(numNested=1),
    "recursors exchanged": lambda row: row["recs"].reverse(),
}


def judged_trees(type_: str, change: Callable[[Row], None]) -> tuple[str, ...]:
    """Judge a theorem about a type of `TREES`, whose row is changed in both files."""
    rows = rows_of(proof_export(Source(f"theorem t (x : {type_}) : x = x", TREES, "", ("rfl",))))
    change(inductive(rows, type_))
    challenge = text_of([*rows[:-1], as_axiom(rows[-1])])
    return judge_exports(challenge, text_of(rows), NAME, PERMITTED, library().kernel)


@pytest.mark.parametrize("trick", sorted(GROUP_TRICKS.keys() - {"recursors exchanged"}))
def test_what_the_kernel_derives_for_a_group_cannot_be_written_by_hand(trick: str) -> None:
    with pytest.raises(ReplayError, match=r"'(Mine|Forest)(\.\w+)?': "):
        judged_trees("Mine", GROUP_TRICKS[trick])


def test_groups_and_nested_types_are_replayed() -> None:
    for type_ in ("Mine", "Forest", "Rose"):
        assert judged_trees(type_, lambda row: None) == ()
    # the order of the recursors in a row says nothing
    assert judged_trees("Mine", GROUP_TRICKS["recursors exchanged"]) == ()


def nested_rule(row: Row) -> None:
    first, second = row["recs"][1]["rules"]
    first["rhs"], second["rhs"] = second["rhs"], first["rhs"]


@pytest.mark.parametrize(
    "change", [nested_rule, lambda row: row["recs"].pop(), lambda row: row["types"][0].update(numNested=0)]
)
def test_what_the_kernel_derives_for_a_nested_type_cannot_be_written_by_hand(
    change: Callable[[Row], None],
) -> None:
    with pytest.raises(ReplayError, match=r"'Rose(\.\w+)?': "):
        judged_trees("Rose", change)
