"""The documentation site builds without warnings, its links resolve, and it loads nothing from other servers."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from types import FunctionType
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.timeout(300)  # on a busy machine
PAGES = [
    "start",
    "concepts",
    "environment",
    "lean_gym/rewards",
    "trainers/algorithms",
    "lean_gym/pantograph",
    "scale",
    "project/SECURITY",
    "troubleshooting",
    "coming_from",
    "lean_gym/verification",
    "api/environments",
    "api/algorithms",
    "project/CHANGELOG",
]


@dataclass
class Parsed(HTMLParser):
    """Anchors of a page, the links on it, and what a browser loads for it."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if "src" in values:
            self.loaded.append(values["src"])
        if tag == "link" and values.get("rel") in ("stylesheet", "icon", "preconnect", "preload"):
            self.loaded.append(values["href"])


@cache
def parsed(page: Path) -> Parsed:
    reader = Parsed()
    reader.feed(page.read_text(encoding="utf-8"))
    return reader


def broken(site: Path) -> list[str]:
    """Return the links between the pages of a site that lead to no file, or to no anchor."""
    found = []
    for page in sorted(site.rglob("*.html")):
        if page.name == "404.html":  # its links begin at the root of a server
            continue
        for link in parsed(page).links + parsed(page).loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or parts.path in ("web/index.html", "web/course.html"):
                continue  # `make docs` writes the folder web afterwards
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            target = target / "index.html" if target.is_dir() else target
            anchor = unquote(parts.fragment)
            if not target.exists() or (
                anchor and target.suffix == ".html" and anchor not in parsed(target).anchors
            ):
                found.append(f"{page.relative_to(site)}: {link}")
    return found


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


@pytest.mark.parametrize("page", PAGES)
def test_the_site_has_the_page(site: Path, page: str) -> None:
    assert (site / f"{page}.html").exists()


def test_every_link_resolves(site: Path) -> None:
    assert broken(site) == []


def test_a_page_loads_nothing_from_other_servers(site: Path) -> None:
    loaded = {path: parsed(path).loaded for path in site.rglob("*.html")}
    assert loaded
    assert [(path, link) for path, links in loaded.items() for link in links if urlsplit(link).netloc] == []
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"(?:@import|url\()\s*[\"']?(?:https?:)?//[^)\"']+", styles) == []


def test_the_api_shows_what_a_package_exports(site: Path) -> None:
    for package, page in {"lean_gym.rewards": "rewards", "lean_gym.wrappers": "wrappers"}.items():
        anchors = parsed(site / "api" / f"{page}.html").anchors
        module = importlib.import_module(package)
        names = [name for name in module.__all__ if isinstance(getattr(module, name), type | FunctionType)]
        assert {f"{package}.{name}" for name in names} - anchors == set()


def test_broken_links_and_anchors_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#x">1</a><a href="b.html#y">2</a><a href="c.html">3</a>')
    (tmp_path / "b.html").write_text('<p id="x"><a href="https://example.org/z">4</a><img src="d.png">')
    assert broken(tmp_path) == ["a.html: b.html#y", "a.html: c.html", "b.html: d.png"]
