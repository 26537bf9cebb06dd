"""Words that take an answer back, leave it open, or point to another one."""

# ruff: noqa: RUF001
import re

UNKNOWN = re.compile(
    r"(?:un(?:known|defined|determined|clear|certain|bekannt)|none\b|n/?a\b|no (?:answer|solution|such)"
    r"|not (?:enough|sure|known|possible|"
    r"determin|given|defined|applicable|clear)|cannot|can't|could not|couldn't|impossible|insufficient"
    r"|undetermin|inconclusive|"
    r"i (?:do not|don't|am not|cannot|can't)|to be (?:determined|found)|tbd\b|keine\b|nicht (?:bestimm"
    r"|bekannt|lös)|aucune?\b|inconnue?\b|"
    r"indétermin|ninguna?\b|desconocid|indetermin|nenhuma?\b|desconhecid|sconosciut|nessun|неизвестн|"
    r"невозможн|нет\b|未知|不确定|不確定|无法|無法|不知|无解|無解|不存在|不明|わから|分から|"
    r"求められ|알 수 없|없습니다|없다|없음)",
    re.IGNORECASE,
)
RANGE = re.compile(
    r"(?:between|either|anywhere|somewhere|from\s|at (?:least|most)|(?:less|more|greater|fewer|larger"
    r"|smaller|higher|lower) than|above|below|over\s|"
    r"under\s|up to|one of|both|neither|zwischen|entweder|mindestens|höchstens|entre|soit|au (?:moins|plus)"
    r"|al menos|como máximo|"
    r"pelo menos|no máximo|tra\s|fra\s|almeno|al massimo|между|от\s|либо|не менее|не более|至少|至多|大于|小于|介于|"
    r"<(?![/|A-Za-z])|[>\u2264\u2265\u00b1]|\\(?:leq?|geq?|pm|mp|lt|gt|neq?)(?![a-z]))",
    re.IGNORECASE,
)
APPROXIMATE = re.compile(
    r"(?:approximately|approx\.?|about|around|roughly|nearly|almost|circa|ca\.|etwa|ungefähr|environ"
    r"|aproximadamente|cerca de|circa|"
    r"приблизительно|около|大约|约|大約|約|약|\u2248|\\approx(?![a-z])|\\sim(?![a-z])|~)\s*",
    re.IGNORECASE,
)
NEGATION = re.compile(
    r"\bnot\b|\bcannot\b|n't\b|\bnever\b|\bnicht\b|\bpas\b|\bno\b(?!\.)|\bnão\b|\bnao\b|\bnon\b|\bне\b|不是|並非"
    r"|并非|不為|不为|不等|\u2260",
    re.IGNORECASE,
)
BUT = re.compile(
    r"[,;:.]?\s*(?:\bbut\s+(?:rather\s+|instead\s+|actually\s+|is\s+)?|\bbut\b|\brather\b"
    r"|\binstead\s+(?:it\s+is\s+)?|\bit\s+is\s+|\bit's\s+|\bsondern\s+|\baber\s+|\bmais\s+(?:plutôt\s+)?"
    r"|\bsino\s+(?:que\s+es\s+)?|\bpero\s+|\bmas\s+(?:sim\s+)?|\bsim\s+|\bma\s+(?:bensì\s+)?|\bbensì\s+"
    r"|,\s*а\s+|而是|是|而为|而為)\s*",
    re.IGNORECASE,
)
# Japanese and Korean put the negation behind the number: "12 de wa naku 13", "12 ga anira 13".
NOT_BEHIND = re.compile(r"\s*(?:ではなく|じゃなく|でなく|(?:이|가)?\s*아니(?:라|고))[\u3001,]?\s*")
DENIED_BEHIND = re.compile(
    r"\s*(?:では(?:ない|ありません)|じゃ(?:ない|ありません)|(?:이|가)?\s*아니(?:다|에요)|(?:이|가)?\s*아닙니다|"
    r"(?:\s*(?:is|was|ist|est|es)\s+(?:wrong|incorrect|not|falsch|faux|incorrecto))"
    r"|(?:\s+would be\s+(?:wrong|the partial|if))|\s*\?)"
)
OR = re.compile(
    r"\s*(?:\\text\s*\{\s*(?:or|and|to|oder|ou|o|或|和)\s*\}|(?:or|and|to|through|oder|und|bis|ou|et|à|o|y|e|a"
    r"|или|и|до)\s|或(?:者)?|和|至|到|または|あるいは|と|から|또는|과|와"
    r"|[,;&/~\u3001\u2013\u2014-]|\\(?:lor|vee|cup|land|wedge|quad|qquad|ldots|pm|mp|cdots|dots)(?![a-z])"
    r"|\.\.\.?|and/or\s)\s*",
    re.IGNORECASE,
)
RETRACTION = re.compile(r"\b(?:wait|actually|correction|mistake|wrong|sorry|oops|however|hmm)\b", re.IGNORECASE)
CONDITION = re.compile(
    r"\b(?:doubt|unlikely|(?:do not|don't|cannot|can't) (?:think|believe|say)|if|unless|suppose|assuming"
    r"|whether|wenn|falls|если)\b|如果|假如",
    re.IGNORECASE,
)
