/** Just enough of Python's lexis to colour it: strings of every form over several lines, comments, keywords, numbers. */

export type TokenKind = "plain" | "keyword" | "string" | "comment" | "number" | "definition" | "decorator" | "magic";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const KEYWORDS = new Set(
  (
    "and as assert async await break class continue def del elif else except finally for from global if import in is lambda " +
    "nonlocal not or pass raise return try while with yield"
  ).split(" "),
);
const CONSTANTS = new Set(["True", "False", "None", "Ellipsis", "NotImplemented"]);
// Words that are keywords only where a statement of theirs begins.
const SOFT = /^(match|case)(?=\s+[^\s=.,)\]:#][^#]*:|[([{"'][^#]*:\s*(#.*)?$)/;

const STRING = /[rbfutRBFUT]{0,2}("""|'''|"|')/y;
const NUMBER = /0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)([eE][+-]?\d[\d_]*)?[jJ]?/y;
const NAME = /[\p{L}_][\p{L}\p{N}\p{M}_]*/uy;
const DECORATOR = /@[\p{L}_][\p{L}\p{N}_.]*/uy;

/** The tokens of each line, in order; put together again they are the source. */
export function tokenize(source: string): Token[][] {
  const scanner = new Scanner(source);
  scanner.run();
  return scanner.lines;
}

class Scanner {
  readonly lines: Token[][] = [[]];
  #at = 0;
  #depth = 0;
  #fresh = true;
  #defining = false;

  constructor(private readonly source: string) {}

  run(): void {
    while (this.#at < this.source.length) this.#step();
  }

  #step(): void {
    const char = this.source[this.#at];
    if (char === "\n") {
      this.#take("plain", this.#at + 1);
      this.#fresh = this.#depth === 0;
      return;
    }
    if (this.#fresh && !/\s/.test(char)) {
      this.#fresh = false;
      if (this.#begins(char)) return;
    }
    if (char === "#") this.#take("comment", this.#lineEnd());
    else if (!this.#string() && !this.#number(char) && !this.#name()) this.#sign(char);
  }

  /** What only the beginning of a statement can be: a magic, a shell line, a decorator, a soft keyword. */
  #begins(char: string): boolean {
    if (char === "%" || char === "!") {
      this.#take("magic", this.#lineEnd());
      return true;
    }
    const decorator = char === "@" ? this.#match(DECORATOR) : null;
    if (decorator) {
      this.#take("decorator", this.#at + decorator[0].length);
      return true;
    }
    const soft = SOFT.exec(this.source.slice(this.#at, this.#lineEnd()));
    if (soft) this.#take("keyword", this.#at + soft[1].length);
    return soft !== null;
  }

  #string(): boolean {
    const opening = this.#match(STRING);
    if (!opening) return false;
    this.#take("string", stringEnd(this.source, this.#at, opening));
    return true;
  }

  #number(char: string): boolean {
    const found = /[\d.]/.test(char) ? this.#match(NUMBER) : null;
    if (found) this.#take("number", this.#at + found[0].length);
    return found !== null;
  }

  #name(): boolean {
    const word = this.#match(NAME)?.[0];
    if (word === undefined) return false;
    const defined = this.#defining;
    this.#defining = word === "def" || word === "class";
    const kind = defined ? "definition" : KEYWORDS.has(word) ? "keyword" : CONSTANTS.has(word) ? "number" : "plain";
    this.#take(kind, this.#at + word.length);
    return true;
  }

  #sign(char: string): void {
    if ("([{".includes(char)) this.#depth += 1;
    if (")]}".includes(char)) this.#depth = Math.max(0, this.#depth - 1);
    // A backslash before the end of the line: the statement goes on.
    this.#take("plain", this.#at + (char === "\\" && this.source[this.#at + 1] === "\n" ? 2 : 1));
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.source);
  }

  #lineEnd(): number {
    const end = this.source.indexOf("\n", this.#at);
    return end < 0 ? this.source.length : end;
  }

  /** Adds what lies between here and `end`, cut at line ends; like tokens next to one another become one. */
  #take(kind: TokenKind, end: number): void {
    this.source
      .slice(this.#at, end)
      .split("\n")
      .forEach((text, i) => {
        if (i > 0) this.lines.push([]);
        if (text === "") return;
        const line = this.lines[this.lines.length - 1];
        const before = line[line.length - 1];
        if (before?.kind === kind) line[line.length - 1] = { kind, text: before.text + text };
        else line.push({ kind, text });
      });
    this.#at = end;
  }
}

/** One past a string's last character; one that is never closed ends with its line, or with the source when triple. */
function stringEnd(source: string, from: number, [head, quote]: RegExpExecArray): number {
  const formatted = /[ftFT]/.test(head.slice(0, -quote.length));
  let at = from + head.length;
  let depth = 0;
  while (at < source.length) {
    const char = source[at];
    if (char === "\\") at += 2;
    else if (depth === 0 && source.startsWith(quote, at)) return at + quote.length;
    else if (char === "\n" && quote.length === 1) return at;
    else if (formatted && source.startsWith("{{", at) && depth === 0) at += 2;
    else if (depth > 0 && (char === '"' || char === "'")) at = nested(source, at);
    else {
      if (formatted && char === "{") depth += 1;
      if (formatted && char === "}") depth = Math.max(0, depth - 1);
      at += 1;
    }
  }
  return Math.min(at, source.length);
}

/** One past a string inside the braces of another. */
function nested(source: string, from: number): number {
  STRING.lastIndex = from;
  const opening = STRING.exec(source);
  return opening ? stringEnd(source, from, opening) : from + 1;
}
