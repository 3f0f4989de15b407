"""`get_elem_tactic`: prove that `i` is a valid index of `xs`, for `xs[i]`.

Source: Lean 4 `src/Init/Tactics.lean` (4.34).
"""

from __future__ import annotations

from functools import cache

from minilean.meta.errors import BudgetError, MetaError
from minilean.syntax import ast
from minilean.syntax.parser import parse_tactics
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics

_STEPS = """first
  | done
  | assumption
  | trivial
  | omega
  | (simp +arith; done)
  | fail "failed to prove index is valid, possible solutions:
  - Use `have`-expressions to prove the index is valid
  - Use `a[i]!` notation instead, runtime check is performed, and 'Panic' error message is produced \
if index is not valid
  - Use `a[i]?` notation instead, result is an `Option` type
  - Use `a[i]'h` notation instead, where `h` is a proof that index is valid"
"""


@cache
def _steps() -> ast.TacSeq:
    return parse_tactics(_STEPS)


@runs(ast.Simple, "get_elem_tactic")
def tac_get_elem(t: Tactics, stx: ast.Simple) -> None:
    """`get_elem_tactic`."""
    try:
        t.run_block(_steps())
    except BudgetError:
        raise
    except MetaError as error:
        # the steps do not stand in the source text
        error.position = None
        raise
