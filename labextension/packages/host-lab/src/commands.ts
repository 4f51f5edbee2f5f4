// What the command palette and the keyboard do. The keys are in schema/plugin.json, so that users can change them.
import type { App, NotebookPanel, Palette } from "./jupyterlab";

export interface Deeds {
  readonly notebook: () => NotebookPanel | null;
  readonly togglePanel: () => void;
  readonly goToFinding: (by: 1 | -1) => void;
  readonly tellName: () => void;
  /** Chooses the other mode, or the next device that is there. */
  readonly chooseNext: (what: "mode" | "device") => void;
}

export const TOGGLE = "tapeviz:toggle-panel";
const CATEGORY = "tapeviz";

export function addCommands(app: App, palette: Palette | null, deeds: Deeds): void {
  const isThere = (): boolean => deeds.notebook() !== null;
  const add = (name: string, label: string, execute: () => unknown, isEnabled = isThere): void => {
    app.commands.addCommand(`tapeviz:${name}`, { label, execute, isEnabled });
    palette?.addItem({ command: `tapeviz:${name}`, category: CATEGORY });
  };
  const under = (magic: string): Promise<unknown> => {
    putUnder(deeds.notebook()!, magic);
    return app.commands.execute("notebook:run-cell");
  };
  add("toggle-panel", "Show or Hide the Tapes", deeds.togglePanel, () => true);
  add("record-cell", "Record This Cell (%%tape)", () => under("%%tape"));
  add("step-cell", "Step Through (%%step)", () => under("%%step"));
  add("next-finding", "Go to the Next Finding", () => deeds.goToFinding(1));
  add("previous-finding", "Go to the Previous Finding", () => deeds.goToFinding(-1));
  add("show-name", "Show This Name's Last Value", deeds.tellName);
  add("toggle-mode", "Switch Eager / Graph Mode", () => deeds.chooseNext("mode"));
  add("next-device", "Switch the Device", () => deeds.chooseNext("device"));
}

/** Puts the active cell under a magic of ours, in the place of another one of ours: there is nothing to run twice. */
function putUnder({ content }: NotebookPanel, magic: string): void {
  const model = content.activeCell?.model;
  if (model?.type !== "code") return;
  const text = model.sharedModel.getSource();
  const [header, ...rest] = text.split("\n");
  if (new RegExp(`^${magic}\\b`).test(header)) return;
  model.sharedModel.setSource(/^%%(tape|step)\b/.test(header) ? [magic, ...rest].join("\n") : `${magic}\n${text}`);
}
