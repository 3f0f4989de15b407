"""Names of minilean for other packages: this module and `command_line` are the only ones that they import.

A proof step by step (`Problem`, `State`, `Context`), the library (`library`, `library_before`; `encode` and `sealed`
make the file that an installation brings), files of a project
(`Project`, `FileRunner`, `TracingRunner`), finished proofs for other checkers (`compile_text`, `EXPORTED_NAME`), and
what these take and raise.
"""

from minilean.commands.queries import signature_text
from minilean.elab.display import start_printing
from minilean.elab.names import Scope
from minilean.elab.sorry import with_sorry
from minilean.export.produce import NAME as EXPORTED_NAME
from minilean.kernel.declaration import TheoremDecl
from minilean.kernel.fuel import ALONE
from minilean.library import library
from minilean.library.cache import library_key, sealed
from minilean.library.encoding import encode
from minilean.library.load import library_files
from minilean.library.prefix import PositionError, library_before
from minilean.library.theorems import LibraryTheorem, library_theorems
from minilean.meta.errors import MetaError
from minilean.meta.extension import LeanEnv
from minilean.meta.meta_m import MetaM
from minilean.project.declared import Declared, declarations
from minilean.project.header import split_header, without_header
from minilean.project.library import LibraryTracer, is_library, library_path
from minilean.project.loading import Project
from minilean.project.modules import ProjectError, SourceFile, read_project
from minilean.project.positions import environment_at, written_at
from minilean.project.recording import TacticStep, block_text
from minilean.project.running import FileRunner, Message, Report
from minilean.project.traced import Trace, TracedTheorem, TracingRunner
from minilean.proof import PRINT_SECONDS, Context, Problem, ProofError, State, limit_shared_terms
from minilean.repl.compile import Compiled, compile_text
from minilean.repl.session import Options, Session
from minilean.repl.wire import Json, Refusal
from minilean.tactics.state import run_nested

__all__ = [
    "ALONE",
    "EXPORTED_NAME",
    "PRINT_SECONDS",
    "Compiled",
    "Context",
    "Declared",
    "FileRunner",
    "Json",
    "LeanEnv",
    "LibraryTheorem",
    "LibraryTracer",
    "Message",
    "MetaError",
    "MetaM",
    "Options",
    "PositionError",
    "Problem",
    "Project",
    "ProjectError",
    "ProofError",
    "Refusal",
    "Report",
    "Scope",
    "Session",
    "SourceFile",
    "State",
    "TacticStep",
    "TheoremDecl",
    "Trace",
    "TracedTheorem",
    "TracingRunner",
    "block_text",
    "compile_text",
    "declarations",
    "encode",
    "environment_at",
    "is_library",
    "library",
    "library_before",
    "library_files",
    "library_key",
    "library_path",
    "library_theorems",
    "limit_shared_terms",
    "read_project",
    "run_nested",
    "sealed",
    "signature_text",
    "split_header",
    "start_printing",
    "with_sorry",
    "without_header",
    "written_at",
]
