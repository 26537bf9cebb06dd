"""A drawing of boxes, lines and words as SVG text, without a library: what the pictures of the workflow need."""

from xml.sax.saxutils import escape

STATES = {"done": ("#e3f4e6", "#3c8b52"), "todo": ("#fdf0d5", "#b97a10"), "given": ("#e8eefb", "#4a6fb5")}
WORDS = {"done": "done", "todo": "to run", "given": "imported"}
_WIDE = 0.56  # mean width of a character of the fonts below, in their size
_STYLE = (
    "text{font-family:'DejaVu Sans',Verdana,'Liberation Sans',Arial,sans-serif;fill:#1a1a1a}"
    ".line{fill:none;stroke:#8a8f98;stroke-width:1.4}"
)


def width_of(text: str, size: float) -> float:
    """Return about how wide a text is, in pixels."""
    return len(text) * size * _WIDE


def cut(text: str, width: float, size: float) -> str:
    """Return a text that fits into a width, shortened in its middle by an ellipsis where it must be."""
    fits = int(width / (size * _WIDE))
    if len(text) <= fits:
        return text
    tail = fits // 3
    return f"{text[: fits - tail - 1]}…{text[len(text) - tail :]}"


class Drawing:
    """What has been drawn so far; lines lie below boxes."""

    def __init__(self) -> None:
        """Begin an empty drawing."""
        self._lines: list[str] = []
        self._boxes: list[str] = []

    def text(self, x: float, y: float, text: str, size: float = 12, bold: bool = False, middle: bool = False) -> None:
        """Write a text with its base line at y."""
        more = (' font-weight="600"' if bold else "") + (' text-anchor="middle"' if middle else "")
        self._boxes.append(f'<text x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}"{more}>{escape(text)}</text>')

    def frame(self, x: float, y: float, width: float, height: float, strong: bool = False) -> None:
        """Draw the frame of a group."""
        fill, line = ("#ffffff", "#5b6270") if strong else ("#f6f7f9", "#c9cdd4")
        self._boxes.append(_rectangle(x, y, width, height, fill, line, 8))

    def box(self, x: float, y: float, width: float, height: float, state: str, done: float = 0) -> None:
        """Draw a box in the colour of a state; of one to run, the share that is done in the colour of what is done."""
        fill, line = STATES[state]
        self._boxes.append(_rectangle(x, y, width, height, fill, line, 5))
        if state == "todo" and done:
            self._boxes.append(
                _rectangle(x + 0.7, y + height - 4, (width - 1.4) * done, 3.3, STATES["done"][1], "none", 1)
            )

    def plain(self, x: float, y: float, width: float, height: float, fill: str, line: str, round_by: float = 5) -> None:
        """Draw a box in colours of one's own."""
        self._boxes.append(_rectangle(x, y, width, height, fill, line, round_by))

    def path(self, way: str, arrow: bool = False) -> None:
        """Draw a line along a way in SVG's own words."""
        head = ' marker-end="url(#head)"' if arrow else ""
        self._lines.append(f'<path class="line" d="{way}"{head}/>')

    def legend(self, x: float, y: float) -> None:
        """Draw what the colours mean."""
        for state, (fill, line) in STATES.items():
            self._boxes.append(_rectangle(x, y, 14, 14, fill, line, 3))
            self.text(x + 20, y + 12, WORDS[state], size=12)
            x += 34 + width_of(WORDS[state], 12) + 10

    def render(self, width: float, height: float, title: str) -> str:
        """Return the drawing as the text of an SVG file."""
        size = f'width="{_n(width)}" height="{_n(height)}" viewBox="0 0 {_n(width)} {_n(height)}"'
        head = '<marker id="head" markerWidth="9" markerHeight="8" refX="8" refY="4" orient="auto">'
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
                f"<title>{escape(title)}</title><style>{_STYLE}</style>",
                f'<defs>{head}<path d="M0 0L9 4L0 8z" fill="#8a8f98"/></marker></defs>',
                f'<rect width="{_n(width)}" height="{_n(height)}" fill="#ffffff"/>',
                *self._lines,
                *self._boxes,
                "</svg>\n",
            ]
        )


def _rectangle(x: float, y: float, width: float, height: float, fill: str, line: str, round_by: float) -> str:
    """Return a rectangle with round corners."""
    place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" rx="{_n(round_by)}"'
    return f'<rect {place} fill="{fill}" stroke="{line}"/>'


def _n(value: float) -> str:
    """Return a length with one decimal at most."""
    return f"{value:.1f}".removesuffix(".0")
