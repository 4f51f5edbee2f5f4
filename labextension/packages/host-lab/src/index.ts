// What JupyterLab's and Notebook's loaders expect of a prebuilt extension: an object under its name that is given the
// modules that pages share, and hands out a factory of plugins. Ours is made by esbuild and needs no module of its own.
import type { SharedModules } from "./jupyterlab";
import { plugin } from "./plugin";

interface Shared {
  readonly get: () => Promise<() => unknown> | (() => unknown);
  loaded?: unknown;
}
type Scope = Record<string, Record<string, Shared>>;

let scope: Scope = {};

/** The page's one copy of a module: the one in use, else the newest. */
async function borrow(name: string): Promise<Record<string, unknown>> {
  const versions = scope[name] ?? {};
  const newestFirst = Object.keys(versions).sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  const version = newestFirst.find((v) => versions[v].loaded) ?? newestFirst[0];
  if (version === undefined) return {};
  const shared = versions[version];
  shared.loaded = 1;
  return (await shared.get())() as Record<string, unknown>;
}

async function modules(): Promise<SharedModules> {
  const names = ["@lumino/widgets", "@jupyterlab/notebook", "@jupyterlab/statusbar", "@jupyterlab/apputils"];
  const found = await Promise.all([...names, "@jupyterlab/application"].map(borrow));
  return Object.assign({}, ...found.map((module) => pick(module))) as SharedModules;
}

function pick(module: Record<string, unknown>): Record<string, unknown> {
  const wanted = ["Widget", "INotebookTracker", "IStatusBar", "ICommandPalette", "ILayoutRestorer", "Notification"];
  return Object.fromEntries(wanted.filter((name) => module[name] !== undefined).map((name) => [name, module[name]]));
}

const container = {
  init: (given: Scope): void => void (scope = given),
  get: async () => {
    const made = plugin(await modules());
    return () => ({ __esModule: true, default: made });
  },
};

const page = globalThis as { _JUPYTERLAB?: Record<string, unknown> };
(page._JUPYTERLAB ??= {})["tapeviz"] = container;
