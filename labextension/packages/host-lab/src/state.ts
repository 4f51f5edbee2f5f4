// Whether a kernel has tapeviz, what is chosen there, and how that is said.

export interface Choice {
  readonly word: string;
  readonly meaning: string;
  readonly there: boolean;
}

export interface Setting {
  readonly word: string;
  readonly now: string;
  readonly choices: readonly Choice[];
}

/** A tape as the kernel lists it. */
export interface Tape {
  readonly number: number;
  readonly title: string;
  readonly facts: readonly string[];
  /** Why it ended early, or "". */
  readonly stopped: string;
  /** The id of the cell that recorded it, "" where it is not known. */
  readonly cell: string;
  /** False once the cell has run again. */
  readonly current: boolean;
  /** The widget that shows it below its cell, "" where none does. */
  readonly widget: string;
}

export type SettingName = "mode" | "device";

export interface KernelState {
  readonly protocol: number;
  readonly version: string;
  readonly settings: Record<SettingName, Setting>;
  /** Oldest first. */
  readonly tapes: readonly Tape[];
  /** The script that draws tapes, by its hash. */
  readonly bundle: string;
}

/** Why a kernel has no tapeviz that could be asked. */
export type Absence = "none" | "asking" | "language" | "missing" | "unloaded" | "shared" | "newer";

export type KernelStatus =
  { readonly kind: "there"; readonly state: KernelState } | { readonly kind: Absence; readonly language?: string };

export const PROTOCOL = 1;

/** In a few words, for a bar. */
export const ABSENCE_LABELS: Record<Absence, string> = {
  none: "no kernel",
  asking: "asking the kernel",
  language: "not a Python kernel",
  missing: "not installed",
  unloaded: "not loaded",
  shared: "see the other notebook",
  newer: "update needed",
};

/** What is so, and what to do about it. */
export function explanation(status: KernelStatus & { kind: Absence }): [what: string, todo: string] {
  switch (status.kind) {
    case "none":
      return ["This notebook has no kernel.", "Choose one to record with tapeviz."];
    case "asking":
      return ["Asking the kernel.", "A kernel that is busy answers when its cell is done."];
    case "language":
      return [`This kernel runs ${status.language}.`, "tapeviz records what Python kernels compute."];
    case "missing":
      return ["tapeviz is not installed in this kernel's Python.", "Run %pip install tapeviz in a cell."];
    case "unloaded":
      return ["tapeviz is not loaded in this kernel.", "Run %load_ext tapeviz in a cell, or:"];
    case "shared":
      return ["This notebook shares its kernel with another one on this page.", "tapeviz talks to it there."];
    case "newer":
      return ["The kernel's tapeviz is newer than that of JupyterLab.", "Update tapeviz where JupyterLab runs."];
  }
}
