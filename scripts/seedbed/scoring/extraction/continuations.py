"""What may follow a number and change it: another number, an open range, a sum that goes on, a conclusion."""

import re

ELLIPSIS = re.compile(
    r"\s*[-+*,]\s*(?:\\(?:[lcv]?dots|cdots)|\.\.\."
    r"|\u2026)"
)  # of a sum whose value comes behind it
MIXED = re.compile(
    r"\s*(?:hours?|hrs?|h|minutes?|min|days?|weeks?|months?|years?|feet|foot|ft|yards?|pounds?|lbs?|dollars?"
    r"|euros?|meters?|m|km)"
    r",?\s+(?:and\s+)?\d+\s*(?:minutes?|min|seconds?|sec|s|hours?|days?|weeks?|months?|inch(?:es)?|in"
    r"|ounces?|oz|cents?|cm|m)\b"
)
OPEN_RANGE = re.compile(
    r"\s*(?:or\s+(?:more|less|fewer|higher|lower|above|below|greater)\b|\+(?=\s*(?:$|[.,\n]))|\u00b1"
    r"|\\pm(?![a-z])|\+/-|oder\s+mehr|ou\s+(?:plus|mais)|o\s+(?:m\u00e1s|pi\u00f9)|\u0438\u043b\u0438\s+(?:\u0431\u043e\u043b\u0435\u0435|\u043c\u0435\u043d\u0435\u0435)"
    r"|(?<!\n)[\u4ee5][\u4e0a\u4e0b]|\uc774[\uc0c1\ud558])"
)
NEXT_NUMBER = re.compile(r"[ \t]+\d+(?![\d.,]*[\w/])")  # numbers side by side
_CONNECTIVE = (
    r"(?:\band\s+(?=[$\\(]{0,3}[A-Za-z]\s*[-+])|\b(?:so|thus|hence|therefore|giving|which\s+gives|making"
    r"|meaning|and\s+so|then|whence|where"
    r"|therefore,)\b|\u6240\u4ee5|\u56e0\u6b64|\u6545|\u3088\u3063\u3066|\u3057\u305f\u304c\u3063\u3066"
    r"|\ub530\ub77c\uc11c|"
    r"\b(?:also|somit|daher|donc|ainsi|as\u00ed|luego|entonces|logo|portanto|quindi|dunque"
    r"|\u0437\u043d\u0430\u0447\u0438\u0442|\u043f\u043e\u044d\u0442\u043e\u043c\u0443)\b|\u21d2"
    r"|\\Rightarrow|\\implies)"
)
_TERM = r"[A-Za-z](?:_\{?\w\}?)?"
CONTINUED = re.compile(
    rf"[^\n]{{0,120}}?{_CONNECTIVE}[^\n=]{{0,60}}?(?:\$"
    rf"|\\\()?\s*(?<![A-Za-z\\]){_TERM}(?:\s*[-+*]\s*{_TERM})+\s*(?:\$|\\\))?\s*(?:=|is)\s*",
    re.IGNORECASE,
)
