import { describe, expect, it } from "vitest";
import { tokenize } from "./tokens";

const kinds = (source: string): string[] =>
  tokenize(source)
    .flat()
    .filter(({ kind }) => kind !== "plain")
    .map(({ kind, text }) => `${kind} ${text}`);

describe("Python in colours", () => {
  it("knows keywords from names and calls", () => {
    expect(kinds("for v, g in zip(a, b): v.assign_sub(0.1 * g)")).toEqual(["keyword for", "keyword in", "number 0.1"]);
    expect(kinds("def loss(x): return None")).toEqual([
      "keyword def",
      "definition loss",
      "keyword return",
      "number None",
    ]);
    expect(kinds("format = inner")).toEqual([]);
  });

  it("tells a decorator from a matrix product", () => {
    expect(kinds("@tf.function\ndef f(): pass")).toEqual([
      "decorator @tf.function",
      "keyword def",
      "definition f",
      "keyword pass",
    ]);
    expect(kinds("y = x @ w1")).toEqual([]);
    expect(kinds("y = (x\n     @ w1)")).toEqual([]);
  });

  it("reads magics only where a statement begins", () => {
    expect(kinds("%%tape --wrt w\nx % 2\n!ls")).toEqual(["magic %%tape --wrt w", "number 2", "magic !ls"]);
    expect(kinds("x = (1\n  % 3)")).toEqual(["number 1", "number 3"]);
  });

  it("closes strings of every form where they end", () => {
    expect(kinds(`x = "a # b" + 'it\\'s' # c`)).toEqual([`string "a # b"`, `string 'it\\'s'`, "comment # c"]);
    expect(kinds(`rb'\\d' Rb"x" f"{d["a"]!r:>{w}} {{y}}" 3`)).toEqual([
      `string rb'\\d'`,
      `string Rb"x"`,
      `string f"{d["a"]!r:>{w}} {{y}}"`,
      "number 3",
    ]);
    expect(kinds(`x = ""; y = ''; z = """"quoted" text"""; 1`).at(-1)).toBe("number 1");
    expect(kinds(`x = "never closed\ny = 1`)).toEqual([`string "never closed`, "number 1"]);
  });

  it("carries triple quotes over lines", () => {
    const lines = tokenize('"""One.\n\n  if "two" # three\n"""\nx = 1');
    expect(lines.map((line) => line.map(({ kind }) => kind))).toEqual([
      ["string"],
      [],
      ["string"],
      ["string"],
      ["plain", "number"],
    ]);
  });

  it("reads numbers of every form", () => {
    expect(kinds("1e-7 + 0xFF_ff + 1_000.5j + .5 + x1 + a.b1 + 10.")).toEqual([
      "number 1e-7",
      "number 0xFF_ff",
      "number 1_000.5j",
      "number .5",
      "number 10.",
    ]);
  });

  it("takes match and case as keywords only where they are", () => {
    expect(kinds("match x:\n  case 1: pass\n  case (a, b): pass")).toEqual([
      "keyword match",
      "keyword case",
      "number 1",
      "keyword pass",
      "keyword case",
      "keyword pass",
    ]);
    expect(kinds("match = re.match(case)")).toEqual([]);
    expect(kinds("match(x)")).toEqual([]);
  });

  it("loses nothing", () => {
    const source = "%%tape\nα = [1,\n\t'x'] \\\n  + {2: f'{a}'}\n\n# end";
    expect(
      tokenize(source)
        .map((line) => line.map(({ text }) => text).join(""))
        .join("\n"),
    ).toBe(source);
  });
});
