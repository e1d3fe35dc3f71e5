"""Finds the conditions of Swift sources, by tokens: neither types nor the order of declarations are known here."""

import re

OPERATOR = "/=-+!*%<>&|^~?"
TOKEN = re.compile(
    r"""
    (?P<space>[ \t]+) | (?P<newline>\n) | (?P<comment>//[^\n]*) | (?P<block>/\*) | (?P<string>\#*"(?:"")?)
    | (?P<directive>\#(?:if|elseif|else|endif)\b[^\n]*)
    | (?P<word>(?:try|as)[?!](?=[\s(]) | [@\#$]?\w+ | `\w+`) | (?P<operator>\.{3}|\.\.<|[/=\-+!*%<>&|^~?]+)
    | (?P<other>.)
    """,
    re.VERBOSE,
)
OPEN, CLOSE = "([{", ")]}"
COMPARISONS = {"==", "!=", "<", "<=", ">", ">=", "===", "!=="}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=", "&+=", "&-=", "->"}
# What stands before an expression, and belongs to no operand.
WORDS = {
    "return", "throw", "in", "if", "guard", "while", "else", "case", "default", "where", "try", "try?", "try!", "await",
    "let", "var", "func", "switch", "for", "do", "repeat", "defer", "yield", "init", "operator",
}  # fmt: skip
ASSERTIONS = {"precondition", "assert", "preconditionFailure", "assertionFailure", "fatalError"}
PLATFORM = {"canImport(Glibc)", "DEBUG", "_endian(little)", "os(Linux)"}


class Token:
    def __init__(self, text, start, line, spaced):
        self.text, self.start, self.end, self.line = text, start, start + len(text), line
        self.spaced = spaced  # whether white space stands before
        self.starts_line = False
        self.binary = False
        self.partner = None


def end_of_string(source, start):
    """The end of the literal that starts there, with its interpolations."""
    hashes = re.match("#*", source[start:]).group()
    quote = '"""' if source.startswith('"""', start + len(hashes)) else '"'
    position = start + len(hashes) + len(quote)
    escape = "\\" + hashes
    while not source.startswith(quote + hashes, position):
        if source.startswith(escape, position):
            position += len(escape)
            if source[position] == "(":
                depth = 0
                while True:
                    if source[position] == '"':
                        position = end_of_string(source, position)
                        continue
                    depth += {"(": 1, ")": -1}.get(source[position], 0)
                    position += 1
                    if depth == 0:
                        break
                continue
        position += 1
    return position + len(quote + hashes)


def holds(condition):
    """Whether the condition of a directive holds in a debug build on Linux."""
    if "||" in condition:
        return any(holds(part) for part in condition.split("||"))
    condition = condition.strip()
    return not holds(condition[1:]) if condition.startswith("!") else condition in PLATFORM


def tokens(source):
    """The tokens that a debug build on Linux compiles."""
    result, position, line = [], 0, 1
    spaced = starts_line = True
    states = []  # for each open #if: whether its clause is active, and whether one has been
    while position < len(source):
        match = TOKEN.match(source, position)
        kind, end = match.lastgroup, match.end()
        if kind == "block":
            depth, end = 1, position + 2
            while depth:
                edge = re.compile(r"/\*|\*/").search(source, end)
                depth += 1 if edge.group() == "/*" else -1
                end = edge.end()
        elif kind == "string":
            end = end_of_string(source, position)
        text = source[position:end]
        if kind == "directive":
            name, _, condition = text[1:].partition(" ")
            condition = condition.split("//")[0]
            if name == "if":
                states.append([holds(condition), holds(condition)])
            elif name == "endif":
                states.pop()
            else:
                active = not states[-1][1] and (name == "else" or holds(condition))
                states[-1] = [active, states[-1][1] or active]
        elif kind in ("string", "word", "operator", "other") and all(active for active, _ in states):
            token = Token(text, position, line, spaced)
            token.starts_line = starts_line
            token.binary = kind == "operator" and spaced and source[end : end + 1] in " \n"
            result.append(token)
            starts_line = False
        spaced = kind in ("space", "newline", "comment", "block", "directive")
        starts_line = starts_line or kind in ("newline", "directive")
        line += text.count("\n")
        position = end
    stack = []
    for index, token in enumerate(result):
        if token.text in OPEN and len(token.text) == 1:
            stack.append(index)
        elif token.text in CLOSE and len(token.text) == 1:
            opener = stack.pop()
            token.partner, result[opener].partner = opener, index
    return result


class Conditions:
    def __init__(self, source):
        self.source = source
        self.tokens = tokens(source)
        self.found = {}  # (start, end) -> (kind, line)
        self.bodies = set()  # the indices of braces that end a condition
        self.excluded = []
        for index, token in enumerate(self.tokens[:-1]):
            if token.text in ASSERTIONS and self.tokens[index + 1].text == "(":
                self.excluded.append((index, self.tokens[index + 1].partner))
        for index, token in enumerate(self.tokens):
            if token.text in ("if", "guard", "while") and self.text(index - 1) != ".":
                self.statement(index)
        for index, token in enumerate(self.tokens):
            if not token.binary:
                continue
            if token.text == "?":
                self.add(self.left(index, ASSIGNMENTS | {"?", ":"}), index, "ternary")
            elif token.text in ("&&", "||"):
                stops = ASSIGNMENTS | {"?", ":", "||"} | ({"&&"} if token.text == "&&" else set())
                self.add(self.left(index, stops), index, "operand")
                self.add(index + 1, self.right(index, stops), "operand")
            elif token.text in COMPARISONS:
                stops = ASSIGNMENTS | {"?", ":", "||", "&&"} | COMPARISONS
                start = self.left(index, stops)
                if start < index and not self.constrains(start):
                    self.add(start, self.right(index, stops), "comparison")

    def text(self, index):
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def breaks(self, index):
        """Whether a statement starts at the token."""
        token, former = self.tokens[index], self.tokens[index - 1]
        return token.starts_line and not (
            token.binary or former.binary or token.text in (".", "?", ":", ")", "]") or former.text in (",", "(", "[")
        )

    def left(self, index, stops):
        start = position = index
        while position > 0:
            if position < index and self.breaks(position):
                break
            position -= 1
            token = self.tokens[position]
            if token.text in CLOSE:
                position = token.partner
            elif token.text in OPEN or token.text in (",", ";", ":") or token.text in WORDS:
                break
            elif (token.binary and token.text in stops) or token.text == "=":
                break
            start = position
        return start

    def right(self, index, stops):
        position = index + 1
        while position < len(self.tokens):
            token = self.tokens[position]
            if token.text in CLOSE or token.text in (",", ";", ":", "else", "where"):
                break
            if (token.binary and token.text in stops) or (position > index + 1 and self.breaks(position)):
                break
            if token.text == "{" and position in self.bodies:
                break
            position = token.partner + 1 if token.text in OPEN else position + 1
        return position

    def constrains(self, start):
        """Whether the comparison is one of types, after where."""
        position = start - 1
        while position >= 0 and self.tokens[position].text not in ("{", "}", ";", "for", "case"):
            if self.tokens[position].text == "where":
                return True
            if self.breaks(position):
                return False
            token = self.tokens[position]
            position = token.partner - 1 if token.text in (")", "]") else position - 1
        return False

    def statement(self, index):
        if self.text(index) == "while" and self.text(index - 1) == "}":
            opener = self.tokens[index - 1].partner
            if self.text(opener - 1) == "repeat":
                self.add(index + 1, self.right(index, set()), "while")
                return
        start = position = index + 1
        ends = "else" if self.text(index) == "guard" else "{"
        parts = []
        while position < len(self.tokens) and self.text(position) != ends:
            token = self.tokens[position]
            if token.text == ",":
                parts.append((start, position))
                start = position + 1
            position = token.partner + 1 if token.text in OPEN else position + 1
        parts.append((start, position))
        if ends == "{":
            self.bodies.add(position)
        for start, end in parts:
            if self.text(start) not in ("let", "var", "case") and not self.text(start).startswith("#"):
                self.add(start, end, self.text(index))

    def add(self, start, end, kind):
        while self.text(start) in ("try", "await") and start < end:
            start += 1
        if start >= end or any(first <= start <= last for first, last in self.excluded):
            return
        words = [self.text(index) for index in range(start, end)]
        if words in (["true"], ["false"]) or "try?" in words[:1] or "try!" in words[:1]:
            return
        place = (self.tokens[start].start, self.tokens[end - 1].end)
        self.found.setdefault(place, (kind, self.tokens[start].line))
