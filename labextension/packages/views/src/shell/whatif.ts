import { Disposer, format, h, on, type Dispose } from "@tapeviz/core";
import type { Asked, Edit, Element, Experiments, Outcome } from "../experiments";
import { parseNumber } from "../experiments";
import { factsOf } from "../facts";
import type { ViewContext } from "../view";

const NOTCHES = 200;

/** Fields that give an element of a tensor another value, and what the program gives then. */
export function whatIf(context: ViewContext, tensor: number, disposer: Disposer): HTMLElement[] {
  const { experiments } = context;
  if (!experiments || tensor < 0) return [];
  const facts = factsOf(context.recording);
  const title = h("h4", { id: "tv-what-if" }, `What if ${facts.name(tensor)} were other`);
  const section = h("div", { class: "tv-what-if", role: "group", "aria-labelledby": "tv-what-if" });
  if (experiments.refusal) section.append(...refused(experiments.refusal));
  else {
    const results = h("div", { class: "tv-results", role: "status" });
    section.append(fields(context, experiments, tensor, disposer), results);
    const show = (): void => results.replaceChildren(...outcomeOf(context, experiments));
    show();
    disposer.add(experiments.outcome.on(show), experiments.edits.on(show));
  }
  return [title, section];
}

/** What a field is like where nothing can be changed, and why. */
function refused(reason: string): HTMLElement[] {
  return [
    h("div", { class: "tv-edit" }, h("input", { type: "range", disabled: true, "aria-label": "value, by a slider" })),
    h("p", { class: "tv-muted" }, reason),
  ];
}

function fields(context: ViewContext, experiments: Experiments, tensor: number, disposer: Disposer): HTMLElement {
  const shape = factsOf(context.recording).shape(tensor);
  const scalar = shape.length === 0;
  const index = h("input", { type: "text", "aria-label": "index of the element", spellcheck: "false", size: 8 });
  const value = h("input", { type: "text", "aria-label": "value", spellcheck: "false", size: 10, disabled: true });
  const slider = h("input", { type: "range", "aria-label": "value, by a slider", step: "any", disabled: true });
  const note = h("p", { class: "tv-muted", role: "status" });
  const controls = { index, value, slider, note };
  const cell = new ElementFields(experiments, tensor, shape, controls);
  disposer.add(...cell.bind());
  return h(
    "div",
    { class: "tv-edit" },
    h(
      "div",
      { class: "tv-edit-row" },
      !scalar && h("label", {}, h("span", { class: "tv-muted" }, "element"), index),
      h("label", {}, h("span", { class: "tv-muted" }, "value"), value),
    ),
    slider,
    note,
  );
}

interface Controls {
  readonly index: HTMLInputElement;
  readonly value: HTMLInputElement;
  readonly slider: HTMLInputElement;
  readonly note: HTMLElement;
}

/** The element that is edited: which one, what it is, and the fields for it. */
class ElementFields {
  #index: readonly number[];
  /** Whether the field is to have the focus as soon as it can. */
  #wantsFocus = false;

  constructor(
    private readonly experiments: Experiments,
    private readonly tensor: number,
    private readonly shape: readonly number[],
    private readonly controls: Controls,
  ) {
    const at = experiments.cursor.value;
    const edited = experiments.edits.value.findLast((edit) => edit.tensor === tensor);
    this.#index = at?.tensor === tensor ? at.index : (edited?.index ?? shape.map(() => 0));
    void this.#load();
  }

  bind(): Dispose[] {
    const { index, value, slider, note } = this.controls;
    const { experiments, tensor } = this;
    // Keys belong to the fields while one has the focus.
    const own = (field: HTMLElement): Dispose =>
      on<KeyboardEvent>(field, "keydown", (event) => event.stopPropagation());
    return [
      own(slider),
      on(index, "change", () => this.#choose(index.value)),
      on(slider, "input", () => {
        value.value = text(round(Number(slider.value), Number(slider.max)));
        this.#edit(value.value);
      }),
      on(value, "change", () => this.#edit(value.value)),
      experiments.cursor.on((at) => {
        if (at?.tensor !== tensor || String(at.index) === String(this.#index)) return;
        this.#index = at.index;
        void this.#load();
      }),
      experiments.edits.on((edits) => void (edits.length === 0 && this.#load())),
      experiments.focus.on(() => this.#focus()),
      () => void (note.textContent = ""),
    ];
  }

  #focus(): void {
    const { value } = this.controls;
    this.#wantsFocus = value.disabled;
    value.focus();
    value.select();
  }

  #choose(typed: string): void {
    const wanted = (typed.match(/\d+/g) ?? []).map(Number);
    const fits = wanted.length === this.shape.length && wanted.every((at, axis) => at < this.shape[axis]);
    this.controls.index.setAttribute("aria-invalid", String(!fits));
    if (!fits) return;
    this.#index = wanted;
    void this.#load();
  }

  #edit(typed: string): void {
    const number = parseNumber(typed);
    this.controls.value.setAttribute("aria-invalid", String(number === null));
    if (number === null) return;
    if (typeof number === "number") this.controls.slider.value = String(number);
    this.experiments.edit({ tensor: this.tensor, index: this.#index, value: number });
  }

  async #load(): Promise<void> {
    const index = this.#index;
    const { index: place, value, slider, note } = this.controls;
    place.value = index.join(", ");
    value.disabled = slider.disabled = true; // what is typed until the answer comes would be overwritten
    const found = await this.experiments.element(this.tensor, index);
    if (index !== this.#index) return;
    const isThere = typeof found !== "string";
    value.disabled = slider.disabled = !isThere;
    note.textContent = isThere ? "" : `It cannot be changed: ${found}.`;
    if (isThere) this.#fill(found);
    if (isThere && this.#wantsFocus) this.#focus();
  }

  #fill({ value: recorded, least, most, dtype }: Element): void {
    const { value, slider } = this.controls;
    const edited = this.experiments.edits.value.find(
      (edit) => edit.tensor === this.tensor && String(edit.index) === String(this.#index),
    );
    const now = edited?.value ?? recorded;
    const whole = /int|bool/.test(dtype);
    Object.assign(slider, { min: String(least), max: String(most) });
    slider.step = whole ? "1" : String((most - least) / NOTCHES);
    slider.value = String(now);
    value.value = typeof now === "number" ? text(now) : now;
  }
}

const text = (x: number): string => String(Number(x.toPrecision(7)));

/** A notch of a slider, with no more digits than tell it from its neighbours. */
const round = (x: number, most: number): number => {
  const places = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(most) || 1)));
  return Number(x.toFixed(Math.min(places, 12)));
};

function outcomeOf(context: ViewContext, experiments: Experiments): HTMLElement[] {
  const edits = experiments.edits.value;
  if (edits.length === 0)
    return [h("p", { class: "tv-muted" }, "The program runs again with the value that you give.")];
  return [...said(context, experiments.outcome.value), editList(context, experiments, edits)];
}

function said(context: ViewContext, outcome: Asked<Outcome>): HTMLElement[] {
  if (outcome.state === "error") return [h("p", { class: "tv-error" }, `✕ ${outcome.text}`)];
  if (outcome.state !== "ok") return [h("p", { class: "tv-muted" }, "The program runs ...")];
  const { answer } = outcome;
  return [
    ...(answer.told ? [h("p", { class: "tv-warning" }, `▲ ${answer.told}`)] : []),
    ...(answer.stopped ? [h("p", { class: "tv-error" }, `✕ ${answer.stopped}`)] : []),
    figures(context, answer),
    h(
      "p",
      { class: "tv-muted" },
      `${format.count(answer.changed.length)} of ${format.plural(answer.compared, "tensor")} changed`,
    ),
  ];
}

/** Loss and gradients, before and after. */
function figures({ selection }: ViewContext, { losses, gradients }: Outcome): HTMLElement {
  const rows = [
    ...losses.map((row) => ({ ...row, title: row.what === "norm" ? `‖${row.name}‖` : row.name, state: "ok" })),
    ...gradients.map((row) => ({ ...row, title: `‖∇${row.name}‖` })),
  ];
  const head = ["", "was", "is"].map((word) => (word ? h("th", { scope: "col" }, word) : h("td")));
  const body = rows.map(({ title, tensor, before, after, state }) => {
    const link = h("button", { type: "button", class: "tv-link" }, title);
    on(link, "click", () => selection.select({ tensor }));
    const moved = after !== before;
    const now = state === "ok" ? figure(after) : state === "none" ? "None" : "not reached";
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, link),
      h("td", {}, figure(before)),
      h("td", { class: moved ? "tv-moved" : "" }, now),
    );
  });
  return h("table", { class: "tv-moves" }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body));
}

const figure = (x: number | string | null): string =>
  x === null ? "None" : typeof x === "number" ? format.number(x, 4) : x === "nan" ? "NaN" : x;

function editList({ recording }: ViewContext, experiments: Experiments, edits: readonly Edit[]): HTMLElement {
  const items = edits.map((edit) => {
    const at = edit.index.length > 0 ? `[${edit.index.join(", ")}]` : "";
    const name = `${factsOf(recording).name(edit.tensor)}${at}`;
    const back = h("button", { type: "button", "aria-label": `take ${name} back`, title: "take back" }, "✕");
    on(back, "click", () => experiments.reset(edit));
    return h("li", {}, h("span", { class: "tv-mono" }, `${name} = ${edit.value}`), back);
  });
  const reset = h("button", { type: "button", class: "tv-do" }, "Reset");
  on(reset, "click", () => experiments.reset());
  return h("div", { class: "tv-edits" }, h("ul", { "aria-label": "Edits" }, ...items), reset);
}

/** Marks the tensors in a panel that are other now, with what they are. */
export function markChanged(panel: HTMLElement, experiments: Experiments): void {
  const outcome = experiments.outcome.value;
  const nothing: Pick<Outcome, "changed" | "values"> = { changed: [], values: {} };
  const { changed, values } = outcome.state === "ok" ? outcome.answer : nothing;
  for (const card of panel.querySelectorAll<HTMLElement>(".tv-tensor[data-tensor]")) {
    const tensor = card.dataset["tensor"]!;
    const glows = changed.includes(Number(tensor));
    card.classList.toggle("tv-changed", glows);
    card.querySelector(".tv-now")?.remove();
    const now = values[tensor];
    if (glows && now) card.append(h("span", { class: "tv-now" }, `now ${now.map(figure).join(" … ")}`));
  }
}
