"""Drawing of the rooms of each package and of the imports between them, as SVG.

    python docs/draw_imports.py

writes `docs/imports-PACKAGE.svg` for each package of `DRAWN`. A room lies one layer above the highest room that it
imports, so every arrow points down. Rooms that import each other have no such layers: then the script names the
imports that are part of the circle and exits with status 1. Only the arrows of the transitive reduction are drawn:
where `a` imports `b` and `b` imports `c`, no arrow from `a` to `c` is needed.

The layout is that of Sugiyama, Tagawa and Toda (1981): layers, then an order within each layer with few crossings,
then positions. A line that passes a layer has a bend in it, placed beside the boxes. Lines to one room join early.
"""

from __future__ import annotations

import argparse
import colorsys
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from import_graph import ROOT, circles, import_graph, project_modules, room, room_graph

DRAWN = ("minilean", "lean_gym", "trainers")

CHARACTER = 8.2
"""Width of a character of a label, pixels."""
PADDING = 13
BOX = 32
"""Height of a box, pixels."""
GAP = 62
"""Distance between two layers of boxes, pixels."""
SPACE = 22
"""Least distance between two neighbours of a layer, pixels."""
BEND = 6
MARGIN = 12
ARROW = 8
STARTS = 40
"""Orders that the search for few crossings starts from."""

Graph = dict[str, set[str]]


@dataclass(frozen=True)
class Layout:
    """Boxes and bends in layers, the lowest first, and the lines between neighbouring layers.

    Attributes:
        layers: Names in their order from left to right. A bend is named after the room that its line leads to.
        lines: Pairs of an upper and a lower name.
        widths: Width by name, pixels.
    """

    layers: list[list[str]]
    lines: frozenset[tuple[str, str]]
    widths: dict[str, float]


def package_graph(rooms: Mapping[str, set[str]], package: str, modules: Mapping[str, Path]) -> Graph:
    """Return the rooms of one package and their imports within it.

    Left out are the programs, files that nothing imports, and the package itself, its `__init__.py`, where no import
    leads to it.
    """
    inside = {name for name in rooms if name.split(".")[0] == package}
    used = set().union(*(rooms[name] & inside for name in inside))
    folders = {name for name in inside - {package} if modules[name].name == "__init__.py"}
    return {name: rooms[name] & inside for name in sorted(inside & (used | folders))}


def upward_imports(graph: Graph, modules: Mapping[str, Path]) -> list[str]:
    """Return one line per import between rooms that import each other, directly or through others."""
    found = []
    for circle in circles(graph):
        for module, targets in sorted(import_graph(modules).items()):
            for target in sorted(targets):
                own, other = room(module, modules), room(target, modules)
                if own != other and {own, other} <= set(circle):
                    found.append(f"{own} -> {other}: {module} imports {target}")
    return found


def reduced(graph: Graph) -> Graph:
    """Return the transitive reduction of a graph without circles."""
    below: Graph = {}

    def reach(name: str) -> set[str]:
        if name not in below:
            below[name] = graph[name].union(*(reach(target) for target in graph[name]))
        return below[name]

    return {name: graph[name] - set().union(*(reach(target) for target in graph[name])) for name in graph}


def heights(graph: Graph) -> dict[str, int]:
    """Return room -> length of the longest path below it."""
    found: dict[str, int] = {}

    def height(name: str) -> int:
        if name not in found:
            found[name] = max((height(target) + 1 for target in graph[name]), default=0)
        return found[name]

    for name in graph:
        height(name)
    return found


def label(name: str, modules: Mapping[str, Path]) -> str:
    """Return the file or folder of a room."""
    last = name.rpartition(".")[2]
    if "." not in name:
        return "__init__.py"
    return f"{last}/" if modules.get(name, Path()).name in ("__init__.py", "") else f"{last}.py"


def split_lines(graph: Graph, labels: Mapping[str, str]) -> Layout:
    """Return the rooms in layers, each long line split by one bend per layer that it passes."""
    level = heights(graph)
    layers: list[list[str]] = [[] for _ in range(max(level.values()) + 1)]
    widths = {name: len(labels[name]) * CHARACTER + 2 * PADDING for name in graph}
    lines = set()
    for name in sorted(graph):
        layers[level[name]].append(name)
    for name in sorted(graph):
        for target in sorted(graph[name]):
            upper = name
            for at in range(level[name] - 1, level[target], -1):
                bend = f"{target}@{at}"
                if bend not in widths:
                    widths[bend] = BEND
                    layers[at].append(bend)
                lines.add((upper, bend))
                upper = bend
            lines.add((upper, target))
    return Layout(layers, frozenset(lines), widths)


def crossings(layout: Layout) -> int:
    """Return how often two lines cross."""
    at = {name: place for layer in layout.layers for place, name in enumerate(layer)}
    height = {name: number for number, layer in enumerate(layout.layers) for name in layer}
    found = 0
    ends = [(height[lower], at[upper], at[lower]) for upper, lower in sorted(layout.lines)]
    for number, (layer, upper, lower) in enumerate(ends):
        for other_layer, other_upper, other_lower in ends[:number]:
            found += layer == other_layer and (upper - other_upper) * (lower - other_lower) < 0
    return found


def neighbours(layout: Layout) -> dict[str, list[str]]:
    """Return name -> names that a line joins it with."""
    found: dict[str, list[str]] = {name: [] for name in layout.widths}
    for upper, lower in sorted(layout.lines):
        found[upper].append(lower)
        found[lower].append(upper)
    return found


def ordered(layout: Layout, start: int) -> Layout:
    """Order each layer by the mean place of its neighbours, from the start order of that number."""
    layers = [
        sorted(layer, key=lambda name: zlib.crc32(f"{start} {name}".encode())) for layer in layout.layers
    ]
    joined = neighbours(layout)
    for sweep in range(12):
        place = {name: (at + 0.5) / len(layer) for layer in layers for at, name in enumerate(layer)}
        for layer in layers if sweep % 2 else reversed(layers):
            means = {
                name: sum(place[other] for other in joined[name]) / len(joined[name])
                if joined[name]
                else place[name]
                for name in layer
            }
            layer.sort(key=lambda name: (means[name], name))
            place.update({name: (at + 0.5) / len(layer) for at, name in enumerate(layer)})
    return switched(Layout(layers, layout.lines, layout.widths))


def switched(layout: Layout) -> Layout:
    """Exchange two of a layer as long as that saves crossings."""
    best = crossings(layout)
    better = True
    while better:
        better = False
        for layer in layout.layers:
            for left in range(len(layer)):
                for right in range(left + 1, len(layer)):
                    layer[left], layer[right] = layer[right], layer[left]
                    count = crossings(layout)
                    if count < best:
                        best, better = count, True
                    else:
                        layer[left], layer[right] = layer[right], layer[left]
    return layout


def spread(wanted: Sequence[float], weights: Sequence[float], distances: Sequence[float]) -> list[float]:
    """Return the positions nearest to `wanted` in weighted squares that keep order and distances.

    Args:
        wanted: One position per place, from left to right.
        weights: Weight of each.
        distances: Least distance of each from its left neighbour; the first is ignored.
    """
    shifts = [sum(distances[1 : at + 1]) for at in range(len(wanted))]
    blocks: list[tuple[float, float, int]] = []  # mean, weight, places: pool adjacent violators
    for position, weight, shift in zip(wanted, weights, shifts, strict=True):
        block = (position - shift, weight, 1)
        while blocks and blocks[-1][0] >= block[0]:
            mean, total, places = blocks.pop()
            both = total + block[1]
            block = ((mean * total + block[0] * block[1]) / both, both, places + block[2])
        blocks.append(block)
    means = [mean for mean, _, places in blocks for _ in range(places)]
    return [mean + shift for mean, shift in zip(means, shifts, strict=True)]


def positions(layout: Layout) -> dict[str, float]:
    """Return the middle of each box and bend from left to right: near its neighbours, lines upright."""
    joined = neighbours(layout)
    x: dict[str, float] = {}
    for layer in layout.layers:
        x.update({name: at * 100.0 for at, name in enumerate(layer)})
    for sweep in range(60):
        for layer in layout.layers if sweep % 2 else reversed(layout.layers):
            wanted, weights, distances = [], [], []
            for at, name in enumerate(layer):
                # A line through several layers is kept upright before short ones are.
                pull = {other: 8.0 if "@" in name and "@" in other else 1.0 for other in joined[name]}
                total = sum(pull.values())
                wanted.append(sum(x[other] * pull[other] for other in pull) / total if pull else x[name])
                weights.append(total or 0.1)
                left = layout.widths[layer[at - 1]] if at else 0.0
                distances.append((left + layout.widths[name]) / 2 + SPACE)
            x.update(zip(layer, spread(wanted, weights, distances), strict=True))
    left = min(x[name] - layout.widths[name] / 2 for name in x)
    return {name: x[name] - left + MARGIN for name in x}


def arranged(layout: Layout) -> tuple[Layout, dict[str, float]]:
    """Return the best order found and its positions: fewest crossings, then shortest lines."""

    def cost(found: tuple[Layout, dict[str, float]]) -> tuple[int, float]:
        order, x = found
        return crossings(order), round(sum(abs(x[upper] - x[lower]) for upper, lower in order.lines), 3)

    orders = (ordered(layout, start) for start in range(STARTS))
    return min(((order, positions(order)) for order in orders), key=cost)


def colour(hue: float, saturation: float, luminance: float) -> str:
    """Return the colour of that hue and relative luminance (WCAG 2.1), as hexadecimal digits."""
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        parts = colorsys.hls_to_rgb(hue, middle, saturation)
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        brighter = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] > luminance
        low, high = (low, middle) if brighter else (middle, high)
    return "#" + "".join(f"{round(part * 255):02x}" for part in parts)


def colours(layout: Layout) -> dict[str, tuple[str, str]]:
    """Return room -> colour of its box, under white letters, and of the lines to it, on white and on black."""
    rooms = [name for layer in layout.layers for name in layer if "@" not in name]
    hues = {name: (0.58 + number * 0.381966) % 1.0 for number, name in enumerate(rooms)}
    return {name: (colour(hue, 0.45, 0.13), colour(hue, 0.5, 0.26)) for name, hue in hues.items()}


def svg(package: str, graph: Graph, labels: Mapping[str, str]) -> str:
    """Return the drawing of a package."""
    layout, x = arranged(split_lines(reduced(graph), labels))
    top = len(layout.layers) - 1
    y = {
        n: MARGIN + (top - number) * (BOX + GAP) for number, layer in enumerate(layout.layers) for n in layer
    }
    width = round(max(x[name] + layout.widths[name] / 2 for name in x) + MARGIN)
    height = round(2 * MARGIN + top * (BOX + GAP) + BOX)
    tones = colours(layout)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">',
        f"<title>Rooms of {package} and their imports; every arrow points down</title>",
        '<g fill="none" stroke-width="1.8">',
    ]
    for upper, lower in sorted(layout.lines):
        target = lower.partition("@")[0]
        start, end = y[upper] + BOX, y[lower] - (0 if "@" in lower else ARROW)
        middle = (start + end) / 2
        path = f"M{x[upper]:.0f} {start} C{x[upper]:.0f} {middle:.0f} {x[lower]:.0f} {middle:.0f} {x[lower]:.0f} {end}"
        if "@" in lower:
            path += f" V{y[lower] + BOX}"
        parts.append(f'<path stroke="{tones[target][1]}" d="{path}"/>')
    parts.append("</g>")
    for target in sorted({lower for _, lower in layout.lines if "@" not in lower}):
        tip, middle = y[target], round(x[target])
        shape = f"M{middle} {tip} l-5 -{ARROW + 1} h10 z"
        parts.append(f'<path fill="{tones[target][1]}" d="{shape}"/>')
    parts.append(
        "<g font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" "
        'font-size="13" text-anchor="middle" fill="#ffffff">'
    )
    for name in sorted(tones):
        left = x[name] - layout.widths[name] / 2
        parts.append(
            f'<rect x="{left:.0f}" y="{y[name]}" width="{layout.widths[name]:.0f}" height="{BOX}" '
            f'rx="7" fill="{tones[name][0]}"/>'
            f'<text x="{x[name]:.0f}" y="{y[name] + 21}">{labels[name]}</text>'
        )
    return "\n".join([*parts, "</g>", "</svg>", ""])


def main() -> int:
    """Draw every package; return 1 where rooms import each other."""
    parser = argparse.ArgumentParser(description="Draw the imports between the rooms of each package.")
    parser.add_argument("--root", type=Path, default=ROOT, help="folder that holds the packages")
    parser.add_argument("--out", type=Path, default=ROOT / "docs", help="folder for the drawings")
    given = parser.parse_args()
    modules = project_modules(given.root)
    rooms = room_graph(modules)
    for package in DRAWN:
        graph = package_graph(rooms, package, modules)
        if not graph:
            continue
        upward = upward_imports(graph, modules)
        if upward:
            print(f"{package}: rooms import each other, so an arrow would point up", *upward, sep="\n  ")
            return 1
        labels = {name: label(name, modules) for name in graph}
        (given.out / f"imports-{package}.svg").write_text(svg(package, graph, labels), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
