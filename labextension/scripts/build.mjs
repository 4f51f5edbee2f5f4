// Builds what the Python package ships (../tapeviz/widgets/static) and, with --fixtures, the page script of the
// fixtures (dist/fixture.js). With --fixtures nothing is written outside this folder.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

const here = join(dirname(fileURLToPath(import.meta.url)), "..");
const fixtures = process.argv.includes("--fixtures");
const out = fixtures ? join(here, "dist") : join(here, "..", "tapeviz", "widgets", "static");

const shared = {
  absWorkingDir: here,
  bundle: true,
  minify: !fixtures,
  sourcemap: fixtures ? "inline" : false,
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  loader: { ".css": "text" },
  logLevel: "warning",
};

const entries = fixtures
  ? [["packages/views/src/fixture/page.ts", "fixture.js", "iife"]]
  : [
      ["packages/host-anywidget/src/loader.ts", "loader.js", "esm"],
      ["packages/host-anywidget/src/bundle.ts", "bundle.js", "esm"],
      ["packages/host-standalone/src/index.ts", "standalone.js", "iife"],
    ];

for (const [entry, name, format] of entries) {
  await build({ ...shared, entryPoints: [entry], outfile: join(out, name), format });
}
