"""What may follow a number without changing it: units, degrees, currency, percent, counters, a modulus."""

import re

CURRENCY = re.compile(
    r"(?:USD?|EUR|GBP|Rs\.?|CA|AU?|R|HK|NT|S)?\s*(?:\\\$|[$\u20ac\u00a3\u00a5\u20a9\u20bd\u20b9\uffe5])\s*|\\?#(?=\d)"
    r"|Rs\.?\s*(?=\d)|\\(?:pounds"
    r"|euro)\s*|(?:USD|EUR|GBP|INR|RMB|CNY)\s+"
)
MODULUS = re.compile(
    r"\s*(?:\\text\s*\{\s*\(?\s*mod[^{}]*\}(?:\s*\d+\s*\))?|\\pmod\s*\{?[^{}\s]+\}?|\\bmod\s*\S+|\\mod\s*\S+"
    r"|\(\s*(?:\\text\{)?mod\b[^()]*\)|mod\s+\d+)"
)
_UNIT = (
    r"(?:\^\s*\{?\s*\\circ\s*\}?\s*[CFK]?|\u00b0\s*[CFK]?|\u00ba|\\degree|\\circ|\\%|%|\\\$"
    r"|[$\u20ac\u00a3\u00a5\u20a9\u20bd\u20b9]"
    r"|\\(?:text|mathrm|textrm|mbox|rm|textnormal|textit|mathit|textbf|mathbf|operatorname|hbox)\s*\{[^{}\d]*\}"
    r"|\^\s*\{?\s*(?:\\(?:text|mathrm|textrm)\s*\{\s*)?(?:st|nd|rd|th)\s*\}\s*\}?"
    r"|_\s*\{?\s*(?:\d{1,2}|[a-z]|\\text\{[a-z]+\})\s*\}?|\^\s*\{?\s*-?[1-4]\s*\}?|[\u00b2\u00b3]"
    r"|\\(?:[,;:! ]|q?quad|,|cdot(?=\s*\\(?:text|mathrm)))|[\s~]|/(?=\s*\\?[A-Za-z]))"
)
IN_BOX = re.compile(
    rf"(?:{_UNIT}|(?<=[\s~,}}]|\d)[A-Za-z\u00b5\u03bc\u0400-\u04ff\u00c0-\u00ff]{{2,}}\.?"
    rf"|(?<=\d)\s*[msgLlhtK](?![A-Za-z]))*"
)
ATTACHED = re.compile(
    r"(?:cm|mm|km|m|dm|kg|mg|g|lb|lbs|oz|ml|l|L|s|ms|h|hr|hrs|min|mph|kmh|ft|in|yd|mi|Hz|kHz|W|kW|J|kJ|N|Pa"
    r"|kPa|V|mol|K|C|F|dollars|units?|cents?|pts?|"
    r"percent|pct|deg|degrees)(?:/(?:s|h|hr|min|m|L|l|mol))?(?:\^?\{?[23]\}?|[\u00b2\u00b3])?(?![A-Za-z0-9_])"
)
CLOSERS = re.compile(rf"(?:{_UNIT}|\}}|\\\)|\\\]|\*+|_+(?=\W|$)|`+|[\"'\u201d\u201c\u00bb\u300d\u300f)\]]|\\\\|&)*")
