"""`grind` with arguments among the tactics that can be forbidden."""

from __future__ import annotations

from lean_gym.verification.forbidden import AUTOMATION, refused_head


def test_automation_that_is_forbidden_names_it() -> None:
    assert "grind" in AUTOMATION
    assert "grind" in str(refused_head("intros; grind [gg]", AUTOMATION))
