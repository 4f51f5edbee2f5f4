// The difference of two recordings: their rows in a list and as two lanes, what is said of the chosen one, and both
// recordings in the same view, tied by the rows.
import { distinct } from "../shell/landmarks";
import { Disposer, KeyBindings, Signal, canvas, followTheme, h, on, style, type Dispose } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import base from "../base.css";
import failureCss from "../shell/failure.css";
import { VIEWS } from "../registry";
import type { Answer, Message } from "../view";
import { columnAt, columnsOf, drawAlignment, type Column } from "./alignment";
import { readDetails, type Details, type DiffData } from "./data";
import { detailsOf } from "./details";
import css from "./diff.css";
import { rowList } from "./list";
import { mountPane } from "./pane";
import { RowIndex, SIGNS, stateOf } from "./rows";

export interface DiffOptions {
  readonly data: DiffData;
  readonly recordings: readonly [Recording, Recording];
  /** The index of the chosen row, -1 for none; and the view of both recordings. */
  readonly row: Signal<number>;
  readonly view: Signal<string>;
  readonly height: Signal<number>;
  /** What is said of the row with an index; undefined where nobody knows. */
  readonly details: (index: number) => Promise<unknown>;
  readonly request?: (side: 0 | 1, message: Message) => Promise<Answer>;
}

/** The views that two recordings are shown in side by side: those that show a whole program. */
const OFFERED: readonly string[] = ["flow", "timeline", "code"];
/** From so many rows on, those that agree are left out of the list at first. */
const MANY = 40;

export function mountDiff(host: HTMLElement, options: DiffOptions): Dispose {
  const home = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  return new DiffView(home, options).dispose;
}

class DiffView {
  readonly dispose: Dispose;
  readonly #options: DiffOptions;
  readonly #index: RowIndex;
  readonly #root = h("section", {
    class: "tapeviz tvd",
    "aria-label": distinct("Difference of two tapes"),
    tabindex: "-1",
  });
  readonly #details = h("div", { class: "tvd-said", tabindex: "0", role: "group", "aria-label": "The chosen row" });
  readonly #live = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  readonly #chosen: Signal<number>;
  readonly #only: Signal<boolean>;
  readonly #words = new Signal(false);
  readonly #disposer = new Disposer();
  readonly #theme: ReturnType<typeof followTheme>["theme"];
  #asked = 0;

  constructor(home: ShadowRoot, options: DiffOptions) {
    const { data, row } = options;
    this.#options = options;
    this.#index = new RowIndex(data.rows);
    this.#chosen = new Signal(this.#placeOf(row.value >= 0 ? row.value : data.first));
    this.#only = new Signal(data.rows.length > MANY && data.rows.some((one) => stateOf(one) !== "equal"));
    home.append(this.#root);
    style(this.#root, [base, failureCss, css].join("\n"));
    const { theme, dispose } = followTheme(this.#root);
    this.#theme = theme;
    const keys = new KeyBindings();
    this.#disposer.add(() => this.#root.remove(), dispose, keys.listen(this.#root));
    this.#assemble();
    this.#bind(keys);
    this.#follow();
    this.dispose = this.#disposer.dispose;
  }

  #placeOf(index: number): number {
    return this.#options.data.rows.findIndex((row) => row.index === index);
  }

  #assemble(): void {
    const { data, height } = this.#options;
    const list = rowList(data, this.#chosen, this.#only);
    const side = h("div", { class: "tvd-side" }, list.element, this.#details);
    const both = h("div", { class: "tvd-panes" });
    const words = h("pre", {
      class: "tvd-words",
      tabindex: "0",
      hidden: true,
      "aria-label": "The difference in words",
    });
    words.textContent = data.summary;
    const body = h("div", { class: "tvd-body" }, side, both);
    const frame = h("div", { class: "tvd-frame" }, this.#header(), this.#lanes(), body, words, this.#footer());
    this.#root.append(frame, this.#live);
    for (const tape of [0, 1] as const) this.#mountPane(both, tape);
    this.#disposer.add(
      list.dispose,
      height.watch((pixels) => this.#root.style.setProperty("--tv-height", `${pixels}px`)),
      this.#words.on((shown) => {
        words.hidden = !shown;
        body.hidden = shown;
      }),
    );
  }

  #mountPane(root: HTMLElement, side: 0 | 1): void {
    const { data, recordings, view, request } = this.#options;
    const dispose = mountPane(root, {
      side,
      name: data.names[side],
      recording: recordings[side],
      index: this.#index,
      chosen: this.#chosen,
      view,
      theme: this.#theme,
      announce: (text) => void (this.#live.textContent = text),
      ...(request ? { request: (message: Message) => request(side, message) } : {}),
    });
    this.#disposer.add(dispose);
  }

  #header(): HTMLElement {
    const { data, view } = this.#options;
    const tabs = VIEWS.filter(({ id }) => OFFERED.includes(id)).map(({ id, title }) => {
      const button = this.#button(title, `Both tapes as ${title.toLowerCase()}`, () => view.set(id));
      this.#disposer.add(view.watch((now) => button.setAttribute("aria-pressed", String(now === id))));
      return button;
    });
    const only = this.#button("Only what differs", "Leave what agrees out of the list (o)", () => this.#toggleOnly());
    const words = this.#button("Text", "The difference in words (t)", () => this.#words.set(!this.#words.value));
    this.#disposer.add(
      this.#only.watch((now) => only.setAttribute("aria-pressed", String(now))),
      this.#words.watch((now) => words.setAttribute("aria-pressed", String(now))),
    );
    const back = this.#button("‹ Previous", "Previous difference (N)", () => this.#go(-1));
    const next = this.#button("Next ›", "Next difference (n)", () => this.#go(1));
    const sign = data.first >= 0 ? h("span", { class: "tvd-sign tvd-own" }, "▲ ") : null;
    return h(
      "header",
      { class: "tvd-header" },
      h("h2", {}, sign, data.sentence),
      h(
        "div",
        { class: "tvd-buttons", role: "toolbar", "aria-label": "Difference" },
        back,
        next,
        only,
        h("i"),
        ...tabs,
        h("i"),
        words,
      ),
    );
  }

  #button(text: string, title: string, run: () => void): HTMLButtonElement {
    const button = h("button", { type: "button", title }, text);
    this.#disposer.add(on(button, "click", run));
    return button;
  }

  /** Both programs as lanes, op beside op. */
  #lanes(): HTMLElement {
    const { data } = this.#options;
    const room = h("div", { class: "tvd-canvas" });
    let columns: Column[] = [];
    const drawing = canvas(room, "Both programs op by op, and how far apart they are", (pen, width, height) => {
      columns = columnsOf(data.rows, width);
      drawAlignment(pen, columns, height, this.#chosen.value, this.#theme.value);
    });
    const choose = (event: MouseEvent): void => {
      const at = columns[columnAt(columns, event.offsetX)];
      if (!at) return;
      const own = data.rows.slice(at.from, at.to).findIndex((row) => stateOf(row) === at.state);
      this.#chosen.set(at.from + Math.max(0, own));
    };
    const lane = h(
      "div",
      { class: "tvd-letters", "aria-hidden": "true" },
      h("b", {}, "a"),
      h("span", {}, "error"),
      h("b", {}, "b"),
    );
    this.#disposer.add(
      drawing.dispose,
      this.#theme.on(drawing.redraw),
      this.#chosen.on(drawing.redraw),
      on<MouseEvent>(room, "click", choose),
      on<MouseEvent>(room, "mousemove", (event) => {
        const at = columns[columnAt(columns, event.offsetX)];
        const row = at && data.rows[at.from];
        const words = row ? [`line ${row.cells[0]}`, row.cells[1], SIGNS[stateOf(row)][1]] : [];
        room.title = words.filter(Boolean).join(" · ") + (at && at.to - at.from > 1 ? ` … ${at.to - at.from} ops` : "");
      }),
    );
    return h("div", { class: "tvd-lanes" }, lane, room);
  }

  #footer(): HTMLElement {
    const used = new Set(this.#options.data.rows.map(stateOf));
    const signs = (Object.keys(SIGNS) as (keyof typeof SIGNS)[]).filter((state) => used.has(state));
    const legend = signs.map((state) =>
      h("span", {}, h("i", { class: `tvd-swatch tvd-${state}` }), `${SIGNS[state][0]} ${SIGNS[state][1]}`.trim()),
    );
    const { ulp } = this.#options.data;
    const measured = this.#options.data.rows.some((row) => row.ulp !== null && row.ulp > 0);
    return h("footer", { class: "tvd-footer" }, ...legend, measured ? h("span", {}, ulp) : null);
  }

  #bind(keys: KeyBindings): void {
    const bind = (key: string, title: string, run: () => void): void =>
      void this.#disposer.add(keys.bind(key, title, run));
    bind("n", "Next difference", () => this.#go(1));
    bind("N", "Previous difference", () => this.#go(-1));
    for (const key of ["ArrowRight", "ArrowDown"]) bind(key, "Next op", () => this.#step(1));
    for (const key of ["ArrowLeft", "ArrowUp"]) bind(key, "Previous op", () => this.#step(-1));
    bind("Home", "The first difference", () => this.#chosen.set(this.#placeOf(this.#options.data.first)));
    bind("o", "Only what differs", () => this.#toggleOnly());
    bind("t", "The difference in words", () => this.#words.set(!this.#words.value));
    OFFERED.forEach((id, at) => bind(String(at + 1), `As ${id}`, () => this.#options.view.set(id)));
  }

  #toggleOnly(): void {
    this.#only.set(!this.#only.value);
  }

  /** To the next row that differs by itself, or in lack of one that inherits a difference. */
  #go(step: 1 | -1): void {
    const now = this.#chosen.value;
    const found = [
      this.#index.next(now, step, (row) => row.material && row.cause < 0),
      this.#index.next(now, step, (row) => row.material),
    ];
    const at = found.find((place) => place >= 0);
    if (at === undefined) this.#live.textContent = `No ${step > 0 ? "further" : "earlier"} difference`;
    else this.#chosen.set(at);
  }

  #step(step: 1 | -1): void {
    const at = this.#index.next(this.#chosen.value, step, (row) => !this.#only.value || stateOf(row) !== "equal");
    if (at >= 0) this.#chosen.set(at);
  }

  #follow(): void {
    const { row } = this.#options;
    this.#disposer.add(
      this.#chosen.watch((at) => {
        row.set(this.#index.rows[at]?.index ?? -1);
        this.#tell(at);
      }),
      row.on((index) => {
        const at = this.#placeOf(index);
        if (at >= 0) this.#chosen.set(at);
      }),
    );
  }

  #tell(at: number): void {
    const row = this.#index.rows[at];
    if (!row) return;
    const mine = ++this.#asked;
    const show = (details: Details): void => {
      if (mine !== this.#asked) return;
      this.#details.replaceChildren(detailsOf(row, details));
      this.#live.textContent = details.said.join(" ");
    };
    this.#options
      .details(row.index)
      .then((found) => show(readDetails(found)))
      .catch((error: unknown) =>
        show({ said: [`The kernel did not say: ${String(error)}`], places: [], elements: [] }),
      );
  }
}
