import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const PACKAGES = new URL("../../", import.meta.url);
const OPS = new URL("../../../../tapeviz/ops/", import.meta.url);

const read = (folder: URL, name: string): string => readFileSync(new URL(name, folder), "utf8");
const listed = (folder: URL): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" });

/** The names of the declared ops, and what is said of the steps of a graph that are none. */
const names = new Set([
  ...listed(OPS)
    .filter((name) => name.endsWith(".py"))
    .flatMap((name) => [...read(OPS, name).matchAll(/\bop\(\s*"(\w+)"/g)].map(([, op]) => op)),
  ...["input", "placeholder", "capture"],
]);

/** Sets, lists and comparisons that tell ops apart by their names. */
function toldApart(source: string): string[] {
  const groups = [...source.matchAll(/new Set\(\[([^\]]*)\]\)/g)].map(([, items]) => [...items.matchAll(/"(\w+)"/g)]);
  const sets = groups.filter((items) => items.length > 1 && items.every(([, item]) => names.has(item)));
  const compared = [...source.matchAll(/(?:ops\.name\[[^\]]*\]+|\bop(?:Name)?|title\(\w*\)) *[!=]== *"(\w+)"/g)];
  return [...sets.map((items) => items.map(([, item]) => item).join(" ")), ...compared.map(([text]) => text)];
}

describe("the views", () => {
  it("ask what is true of an op, not what it is called", () => {
    expect(names.size).toBeGreaterThan(150);
    const sources = listed(PACKAGES).filter(
      (name) => /\/src\/.*\.ts$/.test(name) && !/node_modules|\.test\.ts$|\.gen\.ts$|\/fixture\//.test(name),
    );
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.flatMap((name) => toldApart(read(PACKAGES, name)).map((found) => `${name}: ${found}`))).toEqual([]);
  });
  it("would be found if they did not", () => {
    expect(toldApart('const QUIET = new Set(["identity", "cast"]);')).toEqual(["identity cast"]);
    expect(toldApart('if (ops.name[events.op[row]] === "cast") return;')).toHaveLength(1);
    expect(toldApart('new Set(["row", "column"])')).toEqual([]);
  });
});
