// The panel's list of tapes: what the kernel has recorded, newest first. One is shown; the list opens any other.
import { Disposer, Signal, h, on, type Dispose } from "@tapeviz/core";
import type { Tape } from "./state";

const GRADES = [
  ["●", "worth knowing"],
  ["◆", "likely a fault"],
  ["▲", "a fault"],
] as const;

export interface HistoryOptions {
  /** Whether the latest tape is opened as it comes. */
  readonly follows: Signal<boolean>;
  readonly open: (tape: number) => void;
}

export class TapeList {
  readonly element = h("details", { class: "tapeviz-history" });
  readonly dispose: Dispose;
  readonly #summary = h("summary");
  readonly #list = h("ol", { reversed: true });
  #shown = "";

  constructor(options: HistoryOptions) {
    const box = h("input", { type: "checkbox" });
    const follow = h("label", { class: "tapeviz-follow" }, box, " Follow the latest");
    this.element.append(this.#summary, follow, this.#list);
    this.dispose = new Disposer().add(
      options.follows.watch((follows) => void (box.checked = follows)),
      on(box, "change", () => options.follows.set(box.checked)),
      on<MouseEvent>(this.#list, "click", ({ target }) => {
        const number = (target as Element).closest("button")?.dataset["tape"];
        if (number !== undefined) options.open(Number(number));
      }),
    ).dispose;
  }

  /** Shows the tapes, oldest given first, which of them is open, and the findings that are known. */
  show(tapes: readonly Tape[], open: number, findings: ReadonlyMap<number, readonly number[]>): void {
    this.element.hidden = tapes.length === 0;
    const rows = [...tapes].reverse().map((tape) => rowOf(tape, tape.number === open, findings.get(tape.number)));
    // Made anew, a list loses the focus of whoever walks through it.
    const text = rows.map((row) => row.outerHTML).join("");
    if (text === this.#shown) return;
    this.#shown = text;
    const focused = (document.activeElement as HTMLElement | null)?.dataset["tape"];
    const at = tapes.findIndex(({ number }) => number === open);
    this.#summary.textContent = `${at < 0 ? "" : `Tape ${at + 1} of `}${tapes.length} recorded`;
    this.#list.replaceChildren(...rows);
    if (focused !== undefined) this.#list.querySelector<HTMLElement>(`[data-tape="${focused}"]`)?.focus();
  }
}

function rowOf(tape: Tape, isOpen: boolean, findings: readonly number[] | undefined): HTMLElement {
  const facts = [...tape.facts, ...(tape.stopped ? [tape.stopped] : []), ...(tape.current ? [] : ["cell ran again"])];
  const button = h(
    "button",
    { type: "button", "data-tape": tape.number, "aria-current": isOpen && "true" },
    h("span", { class: "tapeviz-history-title" }, tape.title),
    gradesOf(findings),
    h("span", { class: "tapeviz-history-facts" }, facts.join(" · ")),
  );
  return h("li", {}, button);
}

/** How many findings there are, gravest first; "no finding" only where they were looked for. */
function gradesOf(findings: readonly number[] | undefined): HTMLElement {
  const element = h("span", { class: "tapeviz-history-findings" });
  if (!findings) return element;
  const there = GRADES.map(([glyph, word], i) => ({ glyph, word, count: findings[i] ?? 0 })).filter((g) => g.count > 0);
  element.append(
    ...there
      .reverse()
      .map(({ glyph, word, count }) =>
        h(
          "span",
          { title: `${count} × ${word}` },
          `${glyph} ${count}`,
          h("span", { class: "tapeviz-aside" }, ` ${word}`),
        ),
      ),
  );
  if (there.length === 0) element.append("no finding");
  return element;
}
