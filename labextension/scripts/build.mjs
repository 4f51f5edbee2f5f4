// Builds what the Python package ships (../tapeviz/widgets/static) and, with --fixtures, the page script of the
// fixtures (dist/fixture.js). With --fixtures nothing is written outside this folder.
import { build } from "esbuild";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
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
      ["packages/host-anywidget/src/strip.ts", "strip.js", "esm"],
      ["packages/host-standalone/src/index.ts", "standalone.js", "iife"],
      ["packages/host-lab/src/index.ts", "lab/static/remoteEntry.js", "iife"],
    ];

for (const [entry, name, format] of entries) {
  await build({ ...shared, entryPoints: [entry], outfile: join(out, name), format });
}

// What makes a folder with a script a prebuilt extension of JupyterLab's: where the script is, the Labs that it is for.
async function describeLabExtension() {
  const { version, license } = JSON.parse(await readFile(join(here, "package.json"), "utf8"));
  const about = {
    name: "tapeviz",
    version,
    license,
    description: "Mode, device, tapes and marks of the active notebook's kernel",
    dependencies: { "@jupyterlab/application": "^4.0.0", "@jupyterlab/notebook": "^4.0.0" },
    jupyterlab: {
      extension: true,
      schemaDir: "schema",
      _build: { load: "static/remoteEntry.js", extension: "./extension" },
    },
  };
  const installed = {
    packageManager: "python",
    packageName: "tapeviz",
    uninstallInstructions: "pip uninstall tapeviz",
  };
  for (const [name, facts] of Object.entries({ "package.json": about, "install.json": installed })) {
    await writeFile(join(out, "lab", name), JSON.stringify(facts, null, 2));
  }
  // Where JupyterLab's server looks for the schemas of prebuilt extensions; package.json.orig says what they are of.
  const schemas = join(out, "lab", "schemas", "tapeviz");
  await mkdir(schemas, { recursive: true });
  await copyFile(join(here, "packages", "host-lab", "schema", "plugin.json"), join(schemas, "plugin.json"));
  await writeFile(join(schemas, "package.json.orig"), JSON.stringify(about, null, 2));
}

if (!fixtures) await describeLabExtension();
