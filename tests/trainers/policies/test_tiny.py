from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from trainers.config.run import TinyConfig
from trainers.policies.tiny import END, SEPARATOR, build_model, train_tokenizer
from trainers.policies.transformers import load_pretrained

TEXTS = [
    "p q : Prop\nh : p ∧ q\n⊢ q ∧ p",
    "exact ⟨h.right, h.left⟩",
    "case inl\nn✝ m : Nat\nh₁ : n✝ + 0 = m\n⊢ m = n✝",
    "induction n with\n| zero => rfl\n| succ n ih => rw [Nat.add_succ, ih]",
    "rw [← Nat.add_comm a b, h.1] at h'",
    "x : f (g (h h)) (h h) = f a (g (g b))",
    "exact h₁ n h (h h₁)",
]
TOKENIZER = train_tokenizer(TEXTS * 3, 1024)


def pieces(text: str) -> list[str]:
    return [TOKENIZER.decode([token]) for token in TOKENIZER.encode(text)]


@pytest.mark.parametrize("text", [*TEXTS, "", " ", "  h  ", "h\t:\r\n p", "𝕜 → ℝ≥0∞", "\x00\x7f", "a" * 500])
def test_text_comes_back_letter_for_letter(text: str) -> None:
    assert TOKENIZER.decode(TOKENIZER.encode(text)) == text


@given(st.text(max_size=60).filter(lambda text: END not in text and SEPARATOR not in text))
def test_any_text_comes_back(text: str) -> None:
    assert TOKENIZER.decode(TOKENIZER.encode(text)) == text


def test_a_name_is_one_piece_and_another_one_in_front_of_an_argument() -> None:
    [alone], [before, second] = TOKENIZER.encode("h"), TOKENIZER.encode("h h")
    assert alone == second != before
    for text in ("h : p", "exact h", "⟨h, h⟩", "h.left", "[h]", "p\nh : q"):
        assert alone in TOKENIZER.encode(text), text
    for text in ("h h", "exact h (h)", "[h ⟨h, h⟩]"):
        assert before in TOKENIZER.encode(text), text


def test_pieces() -> None:
    assert pieces("exact ⟨h.right, h.left⟩") == ["exact ", "⟨", "h", ".right", ", ", "h", ".left", "⟩"]
    assert pieces("⊢ q ∧ p:::") == ["⊢ ", "q", " ∧ ", "p", SEPARATOR]
    assert pieces("h₁ n✝") == ["h", "₁ ", "n", "✝"]
    assert pieces("rw [← Nat.add_comm a b]") == ["rw ", "[", "← ", "Nat.add_comm ", "a ", "b", "]"]
    assert pieces("f (g (h h)) (h h)") == ["f ", "(", "g ", "(", "h ", "h", ")", ") ", "(", "h ", "h", ")"]


def test_same_seed_same_model() -> None:
    config = TinyConfig(hidden_size=32, layers=1, attention_heads=2)
    before = torch.random.get_rng_state()
    one, two, other = (build_model(config, TOKENIZER, seed) for seed in (1, 1, 2))
    assert torch.equal(torch.random.get_rng_state(), before)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    assert not torch.equal(one.get_input_embeddings().weight, other.get_input_embeddings().weight)


def test_saved_model_is_an_ordinary_pretrained_one(tmp_path: Path) -> None:
    model = build_model(TinyConfig(hidden_size=32, layers=1, attention_heads=2), TOKENIZER, 0)
    model.save_pretrained(tmp_path)
    TOKENIZER.save_pretrained(tmp_path)
    loaded, tokenizer = load_pretrained(str(tmp_path))
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), loaded.parameters(), strict=True))
    assert tokenizer.eos_token_id == TOKENIZER.eos_token_id
    for text in TEXTS:
        assert tokenizer.encode(text) == TOKENIZER.encode(text)
        assert tokenizer.decode(tokenizer.encode(text)) == text
