// What JupyterLab's and Notebook's loaders expect of a prebuilt extension: an object under its name that is given the
// modules that pages share, and hands out a factory of plugins. Ours is made by esbuild and needs no module of its own.
import { CODEMIRROR } from "./codemirror";
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

const WANTED: Record<string, readonly string[]> = {
  "@lumino/widgets": ["Widget"],
  "@jupyterlab/notebook": ["INotebookTracker"],
  "@jupyterlab/apputils": ["ICommandPalette", "Notification"],
  "@jupyterlab/application": ["ILayoutRestorer"],
  "@jupyterlab/settingregistry": ["ISettingRegistry"],
};

async function pick(wanted: Record<string, readonly string[]>): Promise<Record<string, unknown>> {
  const found = await Promise.all(
    Object.entries(wanted).map(async ([name, members]) => {
      const module = await borrow(name);
      return members
        .filter((member) => module[member] !== undefined)
        .map((member) => [member, module[member]] as const);
    }),
  );
  return Object.fromEntries(found.flat());
}

async function modules(): Promise<SharedModules> {
  const [lab, codemirror] = await Promise.all([pick(WANTED), pick(CODEMIRROR)]);
  const isWhole = Object.values(CODEMIRROR)
    .flat()
    .every((member) => member in codemirror);
  return { ...lab, ...(isWhole && { codemirror }) } as unknown as SharedModules;
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
