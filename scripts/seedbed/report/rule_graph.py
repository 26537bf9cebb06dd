"""The rules of the workflow as a picture, with the files that pass from one to the next on the arrows.

Layers are known: a rule is below all rules whose files it reads, and its files lie between. Inside a layer boxes are
ordered by where their neighbours are (the barycentre rule of Sugiyama, Tagawa and Toda, 1981).
"""

from collections.abc import Mapping
from itertools import pairwise

from seedbed.report import svg

Edges = Mapping[tuple[str, str], list[str]]
RULE, FILE, BETWEEN, ROW = 34, 22, 26, 58  # heights of boxes, the space between boxes, from layer to layer
_ROUNDS = 12


def mermaid(edges: Edges, target: str = "all") -> str:
    """Return the rules as a Mermaid flow chart; of the arrows to the last rule only the last ones are drawn."""
    lines = [
        f'    {start} -- "{"<br/>".join(map(label, names))}" --> {end}'
        for (start, end), names in drawn(edges, target).items()
    ]
    return "\n".join(["flowchart TD", *lines])


def drawn(edges: Edges, target: str = "all") -> dict[tuple[str, str], list[str]]:
    """Return the arrows to draw: to the rule that only collects, just those of files that no other rule reads."""
    read = {name for (_, end), names in edges.items() if end != target for name in names}
    return {
        (start, end): left
        for (start, end), names in sorted(edges.items())
        if (left := [name for name in names if end != target or name not in read])
    }


def picture(edges: Edges, target: str = "all") -> str:
    """Return the rules as an SVG picture: rules as boxes, files as labels on the way between them."""
    arrows: list[tuple[str, str]] = []
    for (start, end), names in drawn(edges, target).items():
        for name in names:
            arrows += [(f"rule {start}", f"file {name}"), (f"file {name}", f"rule {end}")]
    arrows = list(dict.fromkeys(arrows))
    layers, ways = _layers(arrows)
    _order(layers, ways)
    xs = _places(layers, ways)
    shift = min(xs[node] - _width(node) / 2 for layer in layers for node in layer) - 14
    xs = {node: x - shift for node, x in xs.items()}
    ys = {node: 34.0 + ROW * row for row, layer in enumerate(layers) for node in layer}
    drawing = svg.Drawing()
    for way in ways:
        _line(drawing, way, xs, ys)
    for node in ys:
        kind, _, name = node.partition(" ")
        width = _width(node)
        if kind == "rule":
            drawing.plain(xs[node] - width / 2, ys[node] - RULE / 2, width, RULE, "#e8eefb", "#4a6fb5", 7)
            drawing.text(xs[node], ys[node] + 5, name, size=14, bold=True, middle=True)
        elif kind == "file":
            drawing.plain(xs[node] - width / 2, ys[node] - FILE / 2, width, FILE, "#fffdf4", "#d8d2b8", 2)
            drawing.text(xs[node], ys[node] + 4, label(name), size=11, middle=True)
    width = max(xs[node] + _width(node) / 2 for node in ys) + 14
    return drawing.render(width, 34 + ROW * len(layers) - 20, "The rules of the workflow and the files between them")


def label(name: str) -> str:
    """Return a file's name without the folder that all results of a pair share."""
    return name.replace("results/{model}/eval-results/{benchmark}/", "…/")


def _width(node: str) -> float:
    """Return the width of a box in pixels; what only bends a line has a narrow one."""
    kind, _, name = node.partition(" ")
    if kind == "bend":
        return 8
    return 24 + svg.width_of(name, 15) if kind == "rule" else 14 + svg.width_of(label(name), 11.5)


def _layers(arrows: list[tuple[str, str]]) -> tuple[list[list[str]], list[list[str]]]:
    """Return the boxes of each layer, with bends where an arrow crosses one, and the way of every arrow."""
    depth = {node: 0 for arrow in arrows for node in arrow}
    for _ in depth:
        for start, end in arrows:
            depth[end] = max(depth[end], depth[start] + 1)
    for start in {start for start, _ in arrows} - {
        end for _, end in arrows
    }:  # a first rule comes just before its reader
        depth[start] = min(depth[end] for begin, end in arrows if begin == start) - 1
    for file in [node for node in depth if node.startswith("file ")]:
        depth[file] = max(depth[start] for start, end in arrows if end == file) + 1
    layers: list[list[str]] = [[] for _ in range(max(depth.values()) + 1)]
    for node, layer in depth.items():
        layers[layer].append(node)
    ways = []
    for start, end in arrows:
        bends = [f"bend {layer} {start} {end}" for layer in range(depth[start] + 1, depth[end])]
        for layer, bend in enumerate(bends, depth[start] + 1):
            layers[layer].append(bend)
        ways.append([start, *bends, end])
    return layers, ways


def _neighbours(ways: list[list[str]]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return what is above and what is below each box along the ways."""
    above: dict[str, list[str]] = {}
    below: dict[str, list[str]] = {}
    for way in ways:
        for upper, lower in pairwise(way):
            above.setdefault(lower, []).append(upper)
            below.setdefault(upper, []).append(lower)
    return above, below


def _crossings(layers: list[list[str]], below: dict[str, list[str]]) -> int:
    """Return how many pairs of lines cross."""
    total = 0
    for upper, lower in pairwise(layers):
        rank = {node: place for place, node in enumerate(lower)}
        lines = [(place, rank[end]) for place, node in enumerate(upper) for end in below.get(node, ())]
        total += sum(a < c and b > d for a, b in lines for c, d in lines)
    return total


def _order(layers: list[list[str]], ways: list[list[str]]) -> None:
    """Order the boxes of every layer so that few lines cross; the best of several sweeps is kept."""
    above, below = _neighbours(ways)
    best, fewest = [list(layer) for layer in layers], _crossings(layers, below)
    for turn in range(_ROUNDS):
        near = below if turn % 2 else above
        for layer in reversed(layers) if turn % 2 else layers:
            rank = {node: place for one in layers for place, node in enumerate(one)}
            middle = {
                node: sum(rank[one] for one in near[node]) / len(near[node]) if node in near else rank[node]
                for node in layer
            }
            layer.sort(key=middle.__getitem__)
        if (crossings := _crossings(layers, below)) < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    for layer, kept in zip(layers, best, strict=True):
        layer[:] = kept


def _places(layers: list[list[str]], ways: list[list[str]]) -> dict[str, float]:
    """Return the middle of every box: near the mean of its neighbours, without overlaps in a layer."""
    above, below = _neighbours(ways)
    xs: dict[str, float] = {}
    for layer in layers:
        _spread(layer, dict.fromkeys(layer, 0.0), xs)
    for turn in range(40):
        for layer in reversed(layers) if turn % 2 else layers:
            wanted = {}
            for node in layer:
                near = [xs[one] for one in (*above.get(node, ()), *below.get(node, ()))]
                wanted[node] = sum(near) / len(near)
            _spread(layer, wanted, xs)
    return xs


def _spread(layer: list[str], wanted: dict[str, float], xs: dict[str, float]) -> None:
    """Place the boxes of a layer in their order, each as near to where it wants to be as the others let it.

    Boxes that push each other become a block, which is placed at the mean of what its members want.
    """
    blocks: list[tuple[list[str], float]] = []
    for node in layer:
        members, middle = [node], wanted[node]
        while blocks:
            before, place = blocks[-1]
            room = (_span(before) + _span(members)) / 2 + BETWEEN
            if middle - place >= room:
                break
            blocks.pop()
            members = before + members
            middle = _mean_start(members, wanted)
        blocks.append((members, middle))
    for members, middle in blocks:
        left = middle - _span(members) / 2
        for node in members:
            xs[node] = left + _width(node) / 2
            left += _width(node) + BETWEEN


def _span(members: list[str]) -> float:
    """Return the width of boxes side by side."""
    return sum(map(_width, members)) + BETWEEN * (len(members) - 1)


def _mean_start(members: list[str], wanted: dict[str, float]) -> float:
    """Return the middle of a block that brings its members nearest to where they want to be."""
    left, total = -_span(members) / 2, 0.0
    for node in members:
        total += wanted[node] - (left + _width(node) / 2)
        left += _width(node) + BETWEEN
    return total / len(members)


def _line(drawing: svg.Drawing, way: list[str], xs: dict[str, float], ys: dict[str, float]) -> None:
    """Draw an arrow along its way, as a curve from layer to layer."""
    height = {"rule": RULE / 2, "file": FILE / 2, "bend": 0}
    points = [(xs[node], ys[node]) for node in way]
    start, end = way[0].split(" ")[0], way[-1].split(" ")[0]
    points[0] = (points[0][0], points[0][1] + height[start])
    points[-1] = (points[-1][0], points[-1][1] - height[end] - 1)
    words = [f"M {points[0][0]:.1f} {points[0][1]:.1f}"]
    for (x, y), (to_x, to_y) in pairwise(points):
        half = (y + to_y) / 2
        words.append(f"C {x:.1f} {half:.1f} {to_x:.1f} {half:.1f} {to_x:.1f} {to_y:.1f}")
    drawing.path(" ".join(words), arrow=end == "rule")
