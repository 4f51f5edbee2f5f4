import { describe, expect, it } from "vitest";
import { crc32 } from "./checksum";
import { fixtureJson } from "./fixtures";
import { parseJson, Recording, SCHEMA, type Tables } from "./index";
import { isFact, isJson } from "./json";

interface Damaged {
  readonly bytes: string;
  readonly problem: string | null;
  readonly columns: Readonly<Record<string, readonly number[]>>;
}

const DAMAGED = Object.entries(fixtureJson<Record<string, Damaged>>("damaged"));

const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, "base64"));

function fingerprint(cells: ArrayLike<unknown>): number {
  if (ArrayBuffer.isView(cells)) return crc32(new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength));
  const parts = Array.from(cells, (cell) => (cell instanceof Uint8Array ? cell : Buffer.from(`${String(cell)}\0`)));
  return crc32(new Uint8Array(Buffer.concat(parts)));
}

function fingerprints(recording: Recording): Damaged["columns"] {
  const names = (Object.keys(SCHEMA) as (keyof Tables)[]).filter((name) => recording[name].rows > 0);
  return Object.fromEntries(
    names.map((name) => {
      const table = recording[name] as unknown as Record<string, ArrayLike<unknown>>;
      return [name, SCHEMA[name].map(([column]) => fingerprint(table[column]))];
    }),
  );
}

describe("a damaged recording", () => {
  it.each(DAMAGED)("%s opens as it does in Python, and the same is said", async (_, { bytes, problem, columns }) => {
    const recording = await Recording.open(bytesOf(bytes));
    expect(said(recording.problem)).toBe(said(problem));
    expect(fingerprints(recording)).toEqual(columns);
  });

  it("is most often one with malformed rows", () => {
    expect(DAMAGED.filter(([, { problem }]) => problem?.startsWith("malformed")).length).toBeGreaterThan(20);
  });
});

/** What is wrong with the bytes of a frame the two say in their own words. */
const said = (problem: string | null): string | null => problem?.replace(/^(damaged after .*?): .*/s, "$1") ?? null;

describe("rows that come later", () => {
  it("may point to rows that came before, and are checked alone", async () => {
    const [whole] = DAMAGED.filter(([, { problem }]) => problem?.startsWith("malformed"));
    const bytes = bytesOf(whole[1].bytes);
    const live = await Recording.open(bytes.subarray(0, 8));
    await live.append(bytes.subarray(8));
    expect(live.problem).toBe(whole[1].problem);
    const before = live.events.rows;
    await live.append(new Uint8Array(0));
    expect(live.events.rows).toBe(before);
    expect(live.problem).toBe(whole[1].problem);
  });
});

describe("JSON in cells", () => {
  it("may have the numbers that Python writes and JSON has not", () => {
    expect(parseJson('{"axis": NaN, "a": [-Infinity, "NaN"]}')).toEqual({ axis: null, a: [null, "NaN"] });
    expect(parseJson("NaNs")).toBeUndefined();
  });

  it("is nested a hundred times at most", () => {
    expect(isJson("lines", "[[1, 2], [3, 0]]")).toBe(true);
    for (const text of [
      "[1]",
      "[[1]]",
      '[["a", 2]]',
      "[[1, -2]]",
      "[[1, NaN]]",
      "[[1, 2.5]]",
      "[[1, true]]",
      "[[1, 3e9]]",
    ])
      expect(isJson("lines", text)).toBe(false);
    expect(isJson("list", "[".repeat(100) + "]".repeat(100))).toBe(true);
    expect(isJson("list", "[".repeat(101) + "]".repeat(101))).toBe(false);
    expect(isJson("json", `"${"[".repeat(101)}"`)).toBe(true);
  });

  it("is a shape of at most 2^53 elements", () => {
    expect(isJson("sizes", "[94906265, 94906265]")).toBe(true);
    expect(isJson("sizes", "[94906266, 94906266]")).toBe(false);
    for (const text of ["[-1]", "[1.0]", "[null]", "[01]", "3", "[1,]"]) expect(isJson("sizes", text)).toBe(false);
  });

  it("is of the kind that a fact has", () => {
    expect(isFact({ ops: "number" }, '{"ops": null, "more": 1}')).toBe(true);
    expect(isFact({ ops: "number" }, '{"ops": "1"}')).toBe(false);
    expect(isFact({ ops: "number" }, "[]")).toBe(false);
    expect(isFact(undefined, "[]")).toBe(true);
    expect(isFact("text", "")).toBe(false);
  });
});
