import pytest

from lean_gym.errors import call_with_options, mathlib_hint, nearest_name, unknown_name


def test_unknown_name_suggests_the_nearest():
    assert unknown_name("reward", "shapd", ["shaped", "binary"]) == (
        "unknown reward 'shapd'; did you mean 'shaped'? (known: binary, shaped)"
    )


def test_unknown_name_without_a_near_one_lists_all():
    assert (
        unknown_name("reward", "zzz", ["shaped", "binary"]) == "unknown reward 'zzz' (known: binary, shaped)"
    )
    assert unknown_name("split", "x", []) == "unknown split 'x' (known: none)"


@pytest.mark.parametrize(
    ("got", "known", "nearest"),
    [
        ("gpro", ["gspo", "grpo"], "grpo"),  # two letters exchanged are one slip, not two
        ("minilaen", ["minilean", "pantograph"], "minilean"),
        ("DR-GRPO", ["grpo", "dr_grpo"], "dr_grpo"),
        ("--group", ["--group-size", "--lora"], "--group-size"),
        ("--k", ["-h", "--lora"], None),
        ("--lrr", ["--lora", "--k"], None),
        ("--sed", ["--set", "--seed"], "--seed"),  # a letter left out rather than mistaken
        ("lean4", ["minilean", "fake"], None),
        ("", ["a"], None),
        ("x" * 10_000, ["x"], None),
    ],
)
def test_the_nearest_name(got, known, nearest):
    assert nearest_name(got, known) == nearest


def test_a_name_of_mathlib():
    assert mathlib_hint("ℝ") == "ℝ needs Mathlib: backend='pantograph', imports=['Mathlib']"
    assert mathlib_hint("(x : ℝ) (n : ℕ) : x = ℝ").startswith("ℝ, ℕ need Mathlib")
    assert mathlib_hint("theorem Realise (n : Nat) : n = n") == ""


def make(*, width: int = 1) -> int:
    return width


def test_options_are_checked_against_the_signature():
    assert call_with_options("thing", make, {"width": 3}) == 3
    with pytest.raises(ValueError, match=r"unknown option of thing: 'widht'; did you mean 'width'\?"):
        call_with_options("thing", make, {"widht": 3})


def test_a_factory_that_takes_anything_gets_anything():
    assert call_with_options("thing", lambda **options: options, {"anything": 1}) == {"anything": 1}
