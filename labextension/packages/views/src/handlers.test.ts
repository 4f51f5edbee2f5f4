import { readFileSync, readdirSync } from "node:fs";
import { expect, it } from "vitest";

const SOURCES = new URL(".", import.meta.url);

// What "on" ties belongs to the view that is running, and fails with it; a handler set on the element fails alone.
it("ties handlers with `on`, so that what they throw fails the view they are in", () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf-8" }).filter((name) => name.endsWith(".ts"));
  const bare = files
    .filter((name) => !name.endsWith(".test.ts") && !name.startsWith("fixture"))
    .filter((name) =>
      /\.on(?:click|change|input|key\w+|pointer\w+)\s*=/.test(readFileSync(new URL(name, SOURCES), "utf-8")),
    );
  // The ways out of a failure are no part of the view that failed.
  expect(bare.map((name) => name.replaceAll("\\", "/"))).toEqual(["shell/failure.ts"]);
});
