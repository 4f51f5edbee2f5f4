// Two drop-down lists, for mode and device: they show what holds in a notebook's kernel, and choose it.
import { Disposer, Signal, h, type Dispose } from "@tapeviz/core";
import type { KernelConnection } from "./kernelconnection";
import {
  ABSENCE_LABELS,
  explanation,
  type Choice,
  type Setting,
  type KernelStatus,
  type KernelState,
  type SettingName,
} from "./state";

export interface SwitchOptions {
  /** Where there is no tapeviz that is said, after this. */
  readonly absence: string;
  /** Says what was wrong with a choice. */
  readonly complain: (text: string) => void;
}

const TITLES: Record<SettingName, string> = { mode: "Mode", device: "Device" };
const written = (word: string): string => (/^[cg]pu$/.test(word) ? word.toUpperCase() : word);

/** A choice's text in the list: what is chosen by "auto", and what cannot be chosen. */
function textOf({ word, there }: Choice, { now }: Setting): string {
  if (!there) return `${written(word)} (not here)`;
  return word === "auto" ? `auto (${written(now)})` : written(word);
}

/** The text of the list's tip: all choices with what they mean. */
function tipOf(what: SettingName, { choices }: Setting): string {
  const meanings = choices.map(({ word, meaning }) => `${written(word)}: ${meaning}`);
  return [`${TITLES[what]} of the cells that run from now on`, ...meanings].join("\n");
}

/** Listens to the current connection's status, whichever connection that is. */
export function watchStatus(
  current: Signal<KernelConnection | null>,
  listener: (status: KernelStatus) => void,
): Dispose {
  let off: Dispose = () => undefined;
  const stop = current.watch((connection) => {
    off();
    if (connection) off = connection.status.watch(listener);
    else listener({ kind: "none" });
  });
  return () => {
    stop();
    off();
  };
}

function list(
  what: SettingName,
  current: Signal<KernelConnection | null>,
  options: SwitchOptions,
): { element: HTMLElement; show: (state: KernelState) => void } {
  const select = h("select", { "aria-label": `tapeviz ${what}`, class: "tapeviz-select" });
  let shown = "";
  const show = ({ settings }: KernelState): void => {
    const setting = settings[what];
    const entries = setting.choices.map((c) => h("option", { value: c.word, disabled: !c.there }, textOf(c, setting)));
    // An open list that is made anew closes.
    const text = JSON.stringify(entries.map((o) => [o.value, o.disabled, o.textContent]));
    if (text !== shown) select.replaceChildren(...entries);
    shown = text;
    select.value = setting.word;
    select.title = tipOf(what, setting);
  };
  select.onchange = async () => {
    const connection = current.value;
    const wrong = (await connection?.choose(what, select.value)) ?? "";
    const status = connection?.status.value;
    if (wrong) options.complain(wrong);
    if (wrong && status?.kind === "there") show(status.state);
  };
  return { element: select, show };
}

export function settingSwitches(
  current: Signal<KernelConnection | null>,
  options: SwitchOptions,
): { element: HTMLElement; dispose: Dispose } {
  const lists = [list("mode", current, options), list("device", current, options)];
  const says = h("span", { class: "tapeviz-says" });
  const element = h("div", { class: "tapeviz-switches" }, ...lists.map((l) => l.element), says);
  const off = watchStatus(current, (status) => {
    const there = status.kind === "there";
    for (const { element: one, show } of lists) {
      one.hidden = !there;
      if (there) show(status.state);
    }
    says.hidden = there;
    says.textContent = there ? "" : `${options.absence}${ABSENCE_LABELS[status.kind]}`;
    says.title = there ? "" : explanation(status).join(" ");
  });
  return { element, dispose: new Disposer().add(off, () => element.remove()).dispose };
}
