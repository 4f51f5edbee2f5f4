// What `npm run check` asks of the front end beside the types: the recommended rules, and the layers of the packages.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import eslint from "@eslint/js";
import { defineConfig } from "eslint/config";
import typescript from "typescript-eslint";

const packages = join(import.meta.dirname, "packages");

// The layers are what each package.json says: a package imports its dependencies and nothing else of ours.
const dependencies = new Map(
  readdirSync(packages).map((name) => {
    const manifest = JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8"));
    return [name, Object.keys(manifest.dependencies)];
  }),
);

/** Returns what is wrong with an import, or undefined. */
function fault(importer, imported) {
  const [name] = relative(packages, importer).split(sep);
  if (imported.startsWith(".")) {
    const [other] = relative(packages, resolve(dirname(importer), imported)).split(sep);
    return other === name ? undefined : "reaches into another package: import it by its name";
  }
  const [, other] = /^(@tapeviz\/[^/]+)/.exec(imported) ?? [];
  return other === undefined || dependencies.get(name).includes(other) ? undefined : `is not a dependency of ${name}`;
}

const layers = {
  meta: { type: "problem", schema: [], messages: { fault: "'{{imported}}' {{fault}}" } },
  create(context) {
    const check = (node) => {
      const said = typeof node.source?.value === "string" && fault(context.filename, node.source.value);
      if (said) {
        context.report({ node, messageId: "fault", data: { imported: node.source.value, fault: said } });
      }
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportAllDeclaration: check,
      ExportNamedDeclaration: check,
    };
  },
};

export default defineConfig(
  { files: ["packages/*/src/**/*.ts"] },
  eslint.configs.recommended,
  typescript.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { project: "./tsconfig.json", tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: { tapeviz: { rules: { layers } } },
    rules: { "tapeviz/layers": "error" },
  },
);
