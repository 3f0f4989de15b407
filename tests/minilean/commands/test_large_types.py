"""Inductive types with many constructors and binders."""

from __future__ import annotations

from collections.abc import Callable

Check = Callable[[str], list[str]]


def test_constructors_with_many_binders_in_all(messages: Check) -> None:
    ctors = "".join(f"  | c{i} (a b c d e f g : Nat)\n" for i in range(45))
    uses = "def f : Big → Nat\n  | .c0 a b .. => a + b\n  | _ => 1\n#eval f (.c0 1 2 3 4 5 6 7)\n"
    assert messages(f"inductive Big where\n{ctors}{uses}") == ["50:0 info 3"]


def test_a_group_of_predicates_with_many_constructors(messages: Check) -> None:
    ctors = "".join(
        f"  | {{0}}{i} (n a b c d : Nat) (h : n = a) : Odd n → {{0}} (n + {i})\n" for i in range(36)
    )
    text = "mutual\n" + "".join(
        f"inductive {name} : Nat → Prop where\n{ctors.format(name)}" for name in ("Odd", "Even")
    )
    assert [line.partition(" : ")[0] for line in messages(f"{text}end\n#check @Even.Even35\n")] == [
        "77:0 info Even.Even35"
    ]
