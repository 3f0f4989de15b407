"""Hook of MkDocs that makes the documentation site of the documents, wherever they lie in the repository.

The list in `docs/README.md` is the navigation: its headings are sections, its items pages. A document outside of
`docs/`, such as `../CONTRIBUTING.md`, becomes a page under `project/`. A link to a module of `API` leads to its page,
which mkdocstrings makes of the docstrings; a link to any other file leads to a copy of it.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
OUTSIDE = "project/"
LISTING = "minilean/library.md"
ALGORITHMS = [
    "grpo",
    "dr_grpo",
    "dapo",
    "gspo",
    "dgpo",
    "cispo",
    "rloo",
    "reinforce_pp",
    "gmpo",
    "sapo",
    "luspo",
    "vespo",
]
API = {
    "environments": ("Environments", ["lean_gym.envs.env", "lean_gym.envs.vector", "lean_gym.envs.episode"]),
    "values": ("Values and errors", ["lean_gym.types", "lean_gym.errors"]),
    "rewards": ("Rewards", ["lean_gym.rewards"]),
    "wrappers": ("Wrappers", ["lean_gym.wrappers"]),
    "datasets": ("Theorem sets", ["lean_gym.datasets"]),
    "verification": ("Verification", ["lean_gym.verification.verify", "lean_gym.verification.canaries"]),
    "backends": ("Backends", ["lean_gym.backends", "lean_gym.backends.conformance"]),
    "minilean": ("minilean", ["minilean.proof", "minilean.library"]),
    "algorithms": (
        "Algorithms",
        ["trainers.algorithms", *(f"trainers.algorithms.{one}" for one in ALGORITHMS)],
    ),
    "agents": (
        "Agents",
        [f"trainers.corpora.agents.{one}" for one in ("agents", "trainers", "provers", "filling")],
    ),
    "integrations": ("TRL and LeanDojo-v2", ["trainers.integrations.trl", "trainers.integrations.leandojo"]),
}
"""Name of a page -> title, and the modules on it."""

SECTION = re.compile(r"^## (.+)$|^- \[([^\]]+)\]\(([^)#]+)\)", re.MULTILINE)
LINK = re.compile(r"(?<=\]\()([^()\s#]+)(#[^()\s]*)?(?=\))")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Make the navigation of the list in `docs/README.md` and of `API`."""
    index = Path(config.docs_dir, "README.md")
    sections: list[dict[str, list[dict[str, str]]]] = []
    for heading, title, link in SECTION.findall(index.read_text(encoding="utf-8")):
        if heading:
            sections.append({heading: []})
        else:
            pages = next(iter(sections[-1].values()))
            pages.append(
                {title.replace("`", ""): site_path(posixpath.normpath(posixpath.join("docs", link)))[0]}
            )
    if Path(config.docs_dir, LISTING).exists():  # `make docs` writes it
        pages = next(
            pages for each in sections for name, pages in each.items() if name.startswith("minilean")
        )
        pages.append({"Library": LISTING})
    api = [{title: f"api/{name}.md"} for name, (title, _) in API.items()]
    config.nav = [{"Home": "README.md"}, *sections, {"API": api}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the documents outside of `docs/`, the files that documents link to, and the pages of the API."""
    for name, (title, modules) in API.items():
        directives = "\n\n".join(f"::: {module}" for module in modules)
        files.append(File.generated(config, f"api/{name}.md", content=f"# {title}\n\n{directives}\n"))
    waiting = [
        f"docs/{file.src_uri}" for file in files.documentation_pages() if not file.src_uri.startswith("api/")
    ]
    seen = set(waiting)
    while waiting:
        document = waiting.pop()
        for link, _ in LINK.findall(FENCED.sub("", (ROOT / document).read_text(encoding="utf-8"))):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(document), link))
            if "://" in link or target in seen or target.startswith("docs/") or not (ROOT / target).is_file():
                continue
            seen.add(target)
            path, anchor = site_path(target)
            if not anchor:
                files.append(File.generated(config, path, abs_src_path=str(ROOT / target)))
            if target.endswith(".md"):
                waiting.append(target)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point the relative links of a document at the pages of the site."""
    source = page.file.src_uri
    document = source.removeprefix(OUTSIDE) if source.startswith(OUTSIDE) else f"docs/{source}"

    def moved(match: re.Match[str]) -> str:
        link, anchor = match[1], match[2] or ""
        if "://" in link or link.startswith("mailto:"):
            return match[0]
        path, inside = site_path(posixpath.normpath(posixpath.join(posixpath.dirname(document), link)))
        return posixpath.relpath(path, posixpath.dirname(source) or ".") + (anchor or inside)

    return "".join(
        part if part.startswith("```") else LINK.sub(moved, part) for part in FENCED.split(markdown)
    )


def site_path(path: str) -> tuple[str, str]:
    """Return the place of a file of the repository on the site, and an anchor there or `""`."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/"), ""
    module = path.removesuffix(".py").replace("/", ".")
    for name, (_, modules) in API.items():
        if path.endswith(".py") and module in modules:
            return f"api/{name}.md", f"#{module}"
    return OUTSIDE + path, ""
