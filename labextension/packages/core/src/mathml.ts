/**
 * The part of LaTeX that the formulas of ops use, as MathML: browsers draw that by themselves, so no fonts and no
 * library are shipped. An unknown command is shown by its name; `unknownCommands` tells a test of them.
 */

export interface MathNode {
  readonly tag: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly children: readonly MathNode[] | string;
}

const SYMBOLS: Readonly<Record<string, string>> = {
  alpha: "α",
  beta: "β",
  gamma: "γ",
  delta: "δ",
  epsilon: "ϵ",
  varepsilon: "ε",
  zeta: "ζ",
  eta: "η",
  theta: "θ",
  kappa: "κ",
  lambda: "λ",
  mu: "μ",
  nu: "ν",
  xi: "ξ",
  pi: "π",
  rho: "ρ",
  sigma: "σ",
  tau: "τ",
  phi: "φ",
  varphi: "φ",
  chi: "χ",
  psi: "ψ",
  omega: "ω",
  Gamma: "Γ",
  Delta: "Δ",
  Theta: "Θ",
  Lambda: "Λ",
  Sigma: "Σ",
  Phi: "Φ",
  Psi: "Ψ",
  Omega: "Ω",
  infty: "∞",
  partial: "∂",
  nabla: "∇",
  ell: "ℓ",
  top: "⊤",
  emptyset: "∅",
  ldots: "…",
  cdots: "⋯",
  dots: "…",
  prime: "′",
};
const OPERATORS: Readonly<Record<string, string>> = {
  cdot: "⋅",
  odot: "⊙",
  otimes: "⊗",
  oplus: "⊕",
  times: "×",
  div: "÷",
  pm: "±",
  mp: "∓",
  circ: "∘",
  ast: "∗",
  star: "⋆",
  le: "≤",
  leq: "≤",
  ge: "≥",
  geq: "≥",
  ne: "≠",
  neq: "≠",
  in: "∈",
  notin: "∉",
  forall: "∀",
  leftarrow: "←",
  gets: "←",
  rightarrow: "→",
  to: "→",
  mapsto: "↦",
  sim: "∼",
  approx: "≈",
  equiv: "≡",
  propto: "∝",
  mid: "∣",
  land: "∧",
  lor: "∨",
  neg: "¬",
  wedge: "∧",
  vee: "∨",
  lfloor: "⌊",
  rfloor: "⌋",
  lceil: "⌈",
  rceil: "⌉",
  langle: "⟨",
  rangle: "⟩",
  lVert: "‖",
  rVert: "‖",
  Vert: "‖",
  lvert: "|",
  rvert: "|",
  vert: "|",
  setminus: "∖",
  cup: "∪",
  cap: "∩",
  subset: "⊂",
  ll: "≪",
  bmod: "mod",
  gg: "≫",
  colon: ":",
  "{": "{",
  "}": "}",
  "|": "‖",
  "%": "%",
  "&": "&",
  _: "_",
};
const LARGE: Readonly<Record<string, string>> = {
  sum: "∑",
  prod: "∏",
  int: "∫",
  bigcup: "⋃",
  bigcap: "⋂",
  bigwedge: "⋀",
  bigvee: "⋁",
};
const FUNCTIONS = new Set([
  "exp",
  "log",
  "ln",
  "sin",
  "cos",
  "tan",
  "tanh",
  "sinh",
  "cosh",
  "arcsin",
  "arccos",
  "arctan",
  "max",
  "min",
  "sup",
  "inf",
  "det",
  "dim",
  "ker",
  "lim",
  "arg",
  "gcd",
  "Pr",
]);
// A low line as the bar: without a mathematical font the macron is drawn into a capital letter.
const ACCENTS: Readonly<Record<string, string>> = {
  bar: "_",
  overline: "_",
  hat: "^",
  widehat: "^",
  tilde: "˜",
  widetilde: "˜",
  vec: "→",
  dot: "˙",
  ddot: "¨",
};
const WORDS = new Set([
  "mathrm",
  "text",
  "operatorname",
  "textrm",
  "mathit",
  "texttt",
  "mathtt",
  "mathbf",
  "mathbb",
  "mathcal",
]);
const SPACES: Readonly<Record<string, string>> = {
  ",": "0.17em",
  ":": "0.22em",
  ";": "0.28em",
  "!": "0",
  " ": "0.25em",
  quad: "1em",
  qquad: "2em",
};
const IGNORED = new Set([
  "left",
  "right",
  "big",
  "Big",
  "bigl",
  "bigr",
  "Bigl",
  "Bigr",
  "displaystyle",
  "textstyle",
  "limits",
  "nolimits",
]);

const node = (tag: string, children: MathNode["children"], attributes?: MathNode["attributes"]): MathNode => ({
  tag,
  children,
  attributes,
});
const row = (children: readonly MathNode[]): MathNode => (children.length === 1 ? children[0] : node("mrow", children));

const tokens = (latex: string): string[] => latex.match(/\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|\s+|./gsu) ?? [];

class Parser {
  #at = 0;
  readonly #tokens: readonly string[];

  constructor(
    latex: string,
    readonly unknown: string[],
  ) {
    this.#tokens = tokens(latex);
  }

  /** Everything up to one of `ends`, which is taken too. */
  until(...ends: string[]): MathNode[] {
    const out: MathNode[] = [];
    while (this.#at < this.#tokens.length) {
      const token = this.#tokens[this.#at];
      if (ends.includes(token)) {
        this.#at += 1;
        break;
      }
      const atom = this.#scripted();
      if (atom) out.push(atom);
    }
    return out;
  }

  #next(): string {
    while (/^\s+$/u.test(this.#tokens[this.#at] ?? "")) this.#at += 1;
    return this.#tokens[this.#at++] ?? "";
  }

  #peek(): string {
    while (/^\s+$/u.test(this.#tokens[this.#at] ?? "")) this.#at += 1;
    return this.#tokens[this.#at] ?? "";
  }

  #scripted(): MathNode | null {
    const base = this.#atom();
    let [low, high]: (MathNode | null)[] = [null, null];
    for (let sign = this.#peek(); sign === "_" || sign === "^" || sign === "'"; sign = this.#peek()) {
      this.#at += 1;
      if (sign === "'") high = node("mo", "′");
      else if (sign === "_") low = this.#argument();
      else high = this.#argument();
    }
    if (!low && !high) return base;
    const body = base ?? node("mrow", []);
    const around = body.attributes?.["data-large"] !== undefined;
    if (low && high) return node(around ? "munderover" : "msubsup", [body, low, high]);
    return low ? node(around ? "munder" : "msub", [body, low]) : node(around ? "mover" : "msup", [body, high!]);
  }

  #argument(): MathNode {
    return this.#peek() === "{" ? this.#group() : (this.#atom() ?? node("mrow", []));
  }

  #group(): MathNode {
    this.#next();
    return row(this.until("}"));
  }

  #atom(): MathNode | null {
    const token = this.#next();
    if (token === "") return null;
    if (token === "{") {
      this.#at -= 1;
      return this.#group();
    }
    if (token.startsWith("\\")) return this.#command(token.slice(1));
    if (/^\d/u.test(token)) return node("mn", token);
    if (/^\p{L}$/u.test(token)) return node("mi", token);
    return node("mo", token === "-" ? "−" : token, /[()[\]|]/u.test(token) ? { stretchy: "false" } : undefined);
  }

  #command(name: string): MathNode | null {
    if (IGNORED.has(name)) return this.#delimiter(name);
    if (name in SPACES) return node("mspace", [], { width: SPACES[name] });
    if (name in SYMBOLS) return node("mi", SYMBOLS[name], { mathvariant: "normal" });
    if (name in OPERATORS) return node("mo", OPERATORS[name]);
    if (name in LARGE) return node("mo", LARGE[name], { "data-large": "" });
    if (FUNCTIONS.has(name)) return row([node("mi", name), node("mspace", [], { width: "0.17em" })]);
    if (name in ACCENTS) return node("mover", [this.#argument(), node("mo", ACCENTS[name], { stretchy: "false" })]);
    if (WORDS.has(name)) return node("mi", this.#words(), { mathvariant: "normal" });
    if (name === "frac" || name === "tfrac" || name === "dfrac")
      return node("mfrac", [this.#argument(), this.#argument()]);
    if (name === "sqrt") return node("msqrt", [this.#argument()]);
    if (name === "begin") return this.#table(this.#words());
    if (name === "\\") return node("mspace", [], { linebreak: "newline" });
    this.unknown.push(name);
    return node("mtext", name);
  }

  /** \left( and its like: the sign that follows stretches; \left. is nothing. */
  #delimiter(name: string): MathNode | null {
    if (name !== "left" && name !== "right") return null;
    const sign = this.#next();
    if (sign === ".") return null;
    return node("mo", OPERATORS[sign.slice(1)] ?? sign, { stretchy: "true" });
  }

  #words(): string {
    if (this.#peek() !== "{") return this.#next();
    this.#next();
    let text = "";
    for (let depth = 1; this.#at < this.#tokens.length; this.#at += 1) {
      const token = this.#tokens[this.#at];
      depth += Number(token === "{") - Number(token === "}");
      if (depth === 0) break;
      text += token.replace(/^\\([_ {}%&#])$/u, "$1");
    }
    this.#at += 1;
    return text;
  }

  /** cases, matrix and aligned: rows cut at \\ and cells at &. */
  #table(kind: string): MathNode {
    const rows: MathNode[][] = [[]];
    let cell: MathNode[] = [];
    const endCell = (): void => {
      rows[rows.length - 1].push(node("mtd", cell));
      cell = [];
    };
    while (this.#peek() !== "" && this.#peek() !== "\\end") {
      const token = this.#peek();
      if (token !== "&" && token !== "\\\\") {
        const atom = this.#scripted();
        if (atom) cell.push(atom);
        continue;
      }
      this.#at += 1;
      endCell();
      if (token === "\\\\") rows.push([]);
    }
    this.#next();
    this.#words();
    endCell();
    const table = node(
      "mtable",
      rows.map((cells) => node("mtr", cells)),
      { columnalign: "left" },
    );
    return kind === "cases" ? row([node("mo", "{", { stretchy: "true" }), table]) : table;
  }
}

export function parseLatex(latex: string): MathNode {
  return node("math", new Parser(latex, []).until());
}

/** The commands of a formula that are not known here. */
export function unknownCommands(latex: string): string[] {
  const parser = new Parser(latex, []);
  parser.until();
  return parser.unknown;
}

/** The formula as text of MathML: for tests, and for pages written ahead. */
export function mathText({ tag, attributes = {}, children }: MathNode): string {
  const escape = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
  const head = Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escape(value)}"`)
    .join("");
  const body = typeof children === "string" ? escape(children) : children.map(mathText).join("");
  return `<${tag}${head}>${body}</${tag}>`;
}

/** The formula as an element. Its LaTeX is what a screen reader without MathML gets. */
export function formula(latex: string): Element {
  const build = ({ tag, attributes = {}, children }: MathNode): Element => {
    const element = document.createElementNS("http://www.w3.org/1998/Math/MathML", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (typeof children === "string") element.textContent = children;
    else element.append(...children.map(build));
    return element;
  };
  const math = build(parseLatex(latex));
  math.setAttribute("aria-label", latex);
  return math;
}
