// Two drop-down lists, for mode and device: they show what holds in a notebook's kernel, and choose it.
import { Disposer, Signal, h, type Dispose } from "@tapeviz/core";
import type { Line } from "./line";
import { SHORT, explained, type Choice, type Setting, type Standing, type State, type What } from "./state";

/** What differs between the places where the lists stand. */
export interface Look {
  /** Whether the lists have their names before them. */
  readonly named?: boolean;
  /** Where there is no tapeviz that is said, after this. */
  readonly absence?: string;
  /** Says what was wrong with a choice. */
  readonly complain: (text: string) => void;
}

const TITLES: Record<What, string> = { mode: "Mode", device: "Device" };
const written = (word: string): string => (/^[cg]pu$/.test(word) ? word.toUpperCase() : word);

/** A choice's text in the list: what is chosen by "auto", and what cannot be chosen. */
function textOf({ word, there }: Choice, { now }: Setting): string {
  if (!there) return `${written(word)} (not here)`;
  return word === "auto" ? `auto (${written(now)})` : written(word);
}

/** The text of the list's tip: all choices with what they mean. */
function tipOf(what: What, { choices }: Setting): string {
  const meanings = choices.map(({ word, meaning }) => `${written(word)}: ${meaning}`);
  return [`${TITLES[what]} of the cells that run from now on`, ...meanings].join("\n");
}

/** Listens to the line that is current, and to how it stands. */
export function follow(current: Signal<Line | null>, heard: (standing: Standing) => void): Dispose {
  let off: Dispose = () => undefined;
  const stop = current.watch((line) => {
    off();
    if (line) off = line.standing.watch(heard);
    else heard({ kind: "none" });
  });
  return () => {
    stop();
    off();
  };
}

function list(
  what: What,
  current: Signal<Line | null>,
  look: Look,
): { element: HTMLElement; show: (state: State) => void } {
  const select = h("select", { "aria-label": `tapeviz ${what}`, class: "tapeviz-select" });
  const element = look.named ? h("label", {}, h("span", {}, TITLES[what]), select) : select;
  let shown = "";
  const show = ({ settings }: State): void => {
    const setting = settings[what];
    const options = setting.choices.map((c) => h("option", { value: c.word, disabled: !c.there }, textOf(c, setting)));
    // An open list that is made anew closes.
    const text = JSON.stringify(options.map((o) => [o.value, o.disabled, o.textContent]));
    if (text !== shown) select.replaceChildren(...options);
    shown = text;
    select.value = setting.word;
    select.title = tipOf(what, setting);
  };
  select.onchange = async () => {
    const line = current.value;
    const wrong = (await line?.choose(what, select.value)) ?? "";
    const standing = line?.standing.value;
    if (wrong) look.complain(wrong);
    if (wrong && standing?.kind === "there") show(standing.state);
  };
  return { element, show };
}

export function switches(current: Signal<Line | null>, look: Look): { element: HTMLElement; dispose: Dispose } {
  const lists = [list("mode", current, look), list("device", current, look)];
  const says = h("span", { class: "tapeviz-says" });
  const element = h(
    "div",
    { class: "tapeviz-switches" },
    ...lists.map((l) => l.element),
    look.absence !== undefined && says,
  );
  const off = follow(current, (standing) => {
    const there = standing.kind === "there";
    for (const { element: one, show } of lists) {
      one.hidden = !there;
      if (there) show(standing.state);
    }
    says.hidden = there;
    says.textContent = there ? "" : `${look.absence ?? ""}${SHORT[standing.kind]}`;
    says.title = there ? "" : explained(standing).join(" ");
  });
  return { element, dispose: new Disposer().add(off, () => element.remove()).dispose };
}
