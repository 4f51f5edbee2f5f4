import {
  Boundary,
  Disposer,
  KeyBindings,
  Selection,
  Signal,
  followTheme,
  format,
  h,
  style,
  type Dispose,
} from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import base from "../base.css";
import { Experiments } from "../experiments";
import { factsOf } from "../facts";
import { NOT_JUDGED, lookedFor } from "../health";
import { isPlaceless, problems, type Problem } from "../problems";
import { selectedNode } from "../nodes";
import { viewsOf } from "../registry";
import type { View, ViewContext } from "../view";
import { copy } from "./clipboard";
import { fileExports, pandasLine, type Export } from "./exports";
import { failureNotice } from "./failure";
import { filterBox } from "./filterbox";
import { header } from "./header";
import { footnotes, headline } from "./headline";
import { distinct } from "./landmarks";
import { help } from "./help";
import { inspector } from "./inspector";
import { NO_FILTER, applyFilter, keyOfMatch, matchAt, nextMatch, selectedRow, type FilterResult } from "./filter";
import { Settled } from "./settled";
import { pythonExpression, nextOp, nextProblem, nextTensor, partner } from "./navigate";
import experimentsCss from "./experiments.css";
import failureCss from "./failure.css";
import findingsCss from "./findings.css";
import headerCss from "./header.css";
import inspectorCss from "./inspector.css";
import narrowCss from "./narrow.css";
import panelsCss from "./panels.css";
import shellCss from "./shell.css";
import { selectionText } from "./announcement";
import { findings, findingsBar } from "./findings";
import { mountText, wholeText } from "./textblock";

const CSS = [
  base,
  shellCss,
  headerCss,
  findingsCss,
  inspectorCss,
  experimentsCss,
  panelsCss,
  failureCss,
  narrowCss,
].join("\n");

const mountView = (root: HTMLElement, view: View, context: ViewContext): Dispose => view.mount(root, context);

export interface ShellOptions {
  readonly recording: Recording;
  readonly selection: Selection;
  /** The id of the view that is shown. */
  readonly view: Signal<string>;
  readonly filter: Signal<string>;
  /** CSS pixels; on narrow pages the inspector comes below, in addition. */
  readonly height: Signal<number>;
  readonly request?: ViewContext["request"];
  /** The recording's bytes, for "save". */
  readonly bytes?: () => Uint8Array | Promise<Uint8Array>;
}

/** Everything around the views, in a shadow root of `host`, so that the page's styles and ours leave each other alone. */
export function mountShell(host: HTMLElement, options: ShellOptions): Dispose {
  const home = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const shell = new Shell(home, options);
  return shell.dispose;
}

class Shell {
  readonly dispose: Dispose;
  readonly #options: ShellOptions;
  readonly #context: ViewContext;
  readonly #root = h("section", { class: "tapeviz tv-shell", tabindex: "-1" });
  readonly #main = h("div", { class: "tv-main", id: "tv-main", role: "tabpanel", tabindex: "0", "aria-label": "View" });
  readonly #live = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  readonly #toast = h("div", { class: "tv-toast", "aria-hidden": "true" });
  readonly #text = new Signal(false);
  readonly #open = new Signal(true);
  readonly #openInWide = new Signal(false);
  readonly #matching = new Signal<FilterResult>(NO_FILTER);
  /** Which match is selected, counted from 0; -1 for none. */
  readonly #match = new Signal(-1);
  /** The filter that the text in the box is read as: Python can read it, too. */
  readonly #filter = new Signal("");
  readonly #typed: Settled;
  readonly #finding = new Signal<Problem | null>(null);
  readonly #problems: readonly Problem[];
  readonly #views: readonly View[];
  readonly #disposer = new Disposer();
  #closeHelp: Dispose | null = null;
  #input: HTMLInputElement | null = null;
  #side: HTMLElement | null = null;

  constructor(home: ShadowRoot, options: ShellOptions) {
    this.#options = options;
    this.#problems = problems(options.recording);
    this.#views = viewsOf(options.recording);
    this.#typed = new Settled(options.recording, (text) => this.#matching.set(applyFilter(options.recording, text)));
    this.#root.ariaLabel = distinct(`tapeviz: ${headline(options.recording).title}`);
    home.append(this.#root);
    style(this.#root, CSS);
    const { theme, dispose } = followTheme(this.#root);
    const keys = new KeyBindings();
    const experiments = new Experiments(options.recording, options.request);
    this.#context = {
      ...options,
      filter: this.#filter,
      finding: this.#finding,
      changed: new Signal(0),
      matches: new Signal<Uint8Array | null>(null),
      theme,
      keys,
      experiments,
      copy: (text) => void this.#copy(text),
      show: (id) => options.view.set(id),
      announce: (text) => void (this.#live.textContent = text),
    };
    this.#disposer.add(() => this.#root.remove(), dispose, keys.listen(this.#root), experiments.dispose);
    this.#assemble();
    this.#bindKeys(keys);
    this.#follow();
    this.dispose = this.#disposer.dispose;
  }

  #assemble(): void {
    const { recording, selection, view, filter } = this.#options;
    const top = header(recording, view, this.#text, {
      toggleText: () => this.#text.set(!this.#text.value),
      toggleInspector: () => this.#toggleInspector(),
      help: () => this.#help(),
      exports: this.#exports(),
    });
    const strip = findingsBar(recording, selection, this.#finding, (problem) => this.#go(problem));
    const step = (by: 1 | -1): void => this.#stepMatch(by);
    const box = filterBox({ text: filter, result: this.#matching, at: this.#match, step });
    const side = inspector(this.#context, view, `of ${this.#root.ariaLabel ?? ""}`);
    this.#input = box.input;
    this.#side = side.element;
    const notes = footnotes(recording).map((note) => h("span", {}, note));
    const frame = h(
      "div",
      { class: "tv-frame" },
      top.element,
      h("div", { class: "tv-row" }, strip.element, box.element),
      h("div", { class: "tv-body" }, this.#main, side.element),
      h("footer", { class: "tv-footer" }, ...notes),
    );
    this.#root.append(frame, this.#live, this.#toast, this.#printed((this.#root.getRootNode() as ShadowRoot).host));
    this.#disposer.add(top.dispose, strip.dispose, box.dispose, side.dispose);
    const show = (): void => void this.#root.classList.toggle("tv-closed", !this.#inspectorOpen.value);
    this.#disposer.add(this.#open.on(show), this.#openInWide.on(show), this.#options.view.watch(show));
  }

  /** The view that is asked for; the first one where the recording has nothing for it. */
  get #chosen(): View {
    return this.#views.find(({ id }) => id === this.#options.view.value) ?? this.#views[0];
  }

  /** Whether the inspector is open beside the view that is shown: one that needs the room has its own choice. */
  get #inspectorOpen(): Signal<boolean> {
    return this.#chosen.wide ? this.#openInWide : this.#open;
  }

  /** Opens the inspector where it is closed, and goes on in it. */
  #enterInspector(): void {
    this.#inspectorOpen.set(true);
    this.#side?.focus();
    this.#side?.scrollIntoView({ block: "nearest" });
  }

  #toggleInspector(): void {
    this.#inspectorOpen.set(!this.#inspectorOpen.value);
  }

  /** Ties signals to what is shown: the view, the filter, the height, what is spoken. */
  #follow(): void {
    const { recording, selection, view, filter, height } = this.#options;
    let unmount: Dispose = () => undefined;
    const show = (): void => {
      // What had the focus goes with its view: the keys go on in the next one.
      const { activeElement } = this.#root.getRootNode() as ShadowRoot;
      const held = this.#main !== activeElement && this.#main.contains(activeElement);
      unmount();
      this.#main.setAttribute("aria-label", this.#chosen.title);
      unmount = this.#mount(this.#chosen, show);
      if (held) this.#main.focus({ preventScroll: true });
    };
    this.#disposer.add(
      filter.watch((text) => this.#typed.set(text)),
      this.#typed.dispose,
      this.#matching.watch((found) => {
        this.#filter.set(found.text);
        this.#context.matches.set(found.flags);
      }),
      this.#matching.watch(() => this.#whichMatch()),
      height.watch((pixels) => this.#root.style.setProperty("--tv-height", `${pixels}px`)),
      view.on(show),
      this.#text.on(show),
      () => unmount(),
      selection.node.on(() => {
        this.#finding.set(null);
        this.#whichMatch();
      }),
      selection.selected.on((key) => {
        this.#finding.set(null);
        this.#whichMatch();
        if (selection.node.value.graph < 0) this.#context.announce(selectionText(recording, key));
      }),
    );
    show();
  }

  /** Fills the main part with a view, or its text twin; where that fails, now or later, with what there is to say. */
  #mount(view: View, again: () => void): Dispose {
    const inWords = this.#text.value;
    let unmount: Dispose | undefined = undefined;
    const clear = (): void => {
      // A view that failed may fail again where it ends.
      new Boundary(() => undefined).run(() => unmount?.());
      this.#main.replaceChildren();
    };
    const boundary = new Boundary((error) => {
      console.error(`tapeviz: ${view.title}${inWords ? " in words" : ""} failed:`, error);
      clear();
      const words = inWords ? undefined : () => this.#text.set(true);
      this.#main.append(failureNotice(inWords ? `${view.title} in words` : view.title, error, { again, words }));
    });
    unmount = boundary.run(() => (inWords ? mountText : mountView)(this.#main, view, this.#context));
    return () => {
      clear();
      boundary.dispose();
    };
  }

  #bindKeys(keys: KeyBindings): void {
    const { recording, selection, view } = this.#options;
    const { matches } = this.#context;
    const now = (): ReturnType<typeof nextOp> & object => selection.selected.value;
    const go = (key: ReturnType<typeof nextOp>): void => void (key && selection.select(key));
    const bind = (key: string, title: string, run: () => void): void =>
      void this.#disposer.add(keys.bind(key, title, run));
    bind("ArrowRight", "Next op", () => go(nextOp(recording, now(), 1, matches.value)));
    bind("ArrowLeft", "Previous op", () => go(nextOp(recording, now(), -1, matches.value)));
    bind("ArrowDown", "Next input or output", () => go(nextTensor(recording, now(), 1)));
    bind("ArrowUp", "Previous input or output", () => go(nextTensor(recording, now(), -1)));
    bind("p", "Forward or backward partner", () => go(partner(recording, now())));
    bind("n", "Next finding", () => this.#go(nextProblem(this.#problems, now(), 1, this.#finding.value)));
    bind("N", "Previous finding", () => this.#go(nextProblem(this.#problems, now(), -1, this.#finding.value)));
    bind("Enter", "To the inspector; Esc goes back", () => this.#enterInspector());
    bind("/", "Filter", () => this.#input?.focus());
    for (const { key, title, id } of this.#views) bind(key, title, () => view.set(id));
    bind("t", "The view in words", () => this.#text.set(!this.#text.value));
    bind("c", "Copy as Python", () => void this.#copy());
    bind("?", "Keys and signs", () => this.#help());
    bind("Escape", "Back", () => this.#escape());
  }

  get #selectedRow(): number {
    const { recording, selection } = this.#options;
    return selectedRow(recording, this.#matching.value, selection.selected.value, selectedNode(recording, selection));
  }

  #whichMatch(): void {
    this.#match.set(matchAt(this.#matching.value, this.#selectedRow));
  }

  /** Selects the next or the previous match: each view goes to what is selected. */
  #stepMatch(by: 1 | -1): void {
    const { recording, selection } = this.#options;
    this.#typed.flush();
    const at = nextMatch(this.#matching.value, this.#selectedRow, by);
    if (at < 0) return;
    const { node, ...key } = keyOfMatch(recording, this.#matching.value, at);
    if (node) selection.selectNode(node);
    else selection.select(key);
  }

  #go(problem: Problem | null): void {
    if (!problem) return this.#context.announce(lookedFor(this.#options.recording)?.text ?? NOT_JUDGED);
    const { selection, view } = this.#options;
    const { event, tensor, graph } = problem;
    if (isPlaceless(problem)) {
      selection.selectNode({ graph, node: -1 });
      view.set(graph >= 0 ? "traces" : "code");
    } else selection.select({ event, tensor });
    this.#finding.set(problem);
    this.#context.announce([problem.text, problem.fix].filter(Boolean).join(". Fix: "));
  }

  /** Out of the help, the filter, the inspector, the text twin, the selection: one thing at a time. */
  #escape(): void {
    const active = (this.#root.getRootNode() as ShadowRoot).activeElement;
    if (this.#closeHelp) this.#help();
    else if (active === this.#input) {
      this.#options.filter.set("");
      this.#main.focus();
    } else if (active && this.#side?.contains(active)) this.#main.focus({ preventScroll: true });
    else if (this.#text.value) this.#text.set(false);
    else {
      this.#options.selection.clear();
      this.#finding.set(null);
    }
  }

  #help(): void {
    const open = this.#closeHelp;
    this.#closeHelp = null;
    if (open) {
      open();
      this.#main.focus();
    } else this.#closeHelp = help(this.#root, this.#context.keys, () => this.#help());
  }

  async #copy(text = this.#asPython()): Promise<void> {
    await copy(text, this.#root);
    this.#context.announce(`Copied: ${text}`);
    this.#say(text.includes("\n") ? `Copied ${format.plural(text.split("\n").length, "line")}` : `Copied  ${text}`);
  }

  #say(text: string): void {
    this.#toast.textContent = text;
    this.#toast.classList.add("tv-shown");
    setTimeout(() => this.#toast.classList.remove("tv-shown"), 1800);
  }

  #asPython(): string {
    const { recording, selection } = this.#options;
    return pythonExpression(
      recording,
      selection.selected.value,
      this.#filter.value,
      selectedNode(recording, selection),
    );
  }

  /** The ops that are selected, or that the filter lets through, as a cell that runs. */
  async #copyCode(): Promise<void> {
    const { selection, recording } = this.#options;
    const { experiments, matches, announce } = this.#context;
    const { event } = selection.selected.value;
    const flags = matches.value;
    const { id } = recording.events;
    const all = [...id].filter((number, row) => (flags ? flags[row] === 1 : true) && factsOf(recording).isOp(number));
    const found = await experiments!.code(event >= 0 ? [event] : all);
    if (found.state === "ok") return this.#copy(found.answer.text);
    const text = found.state === "error" ? found.text : "";
    announce(text);
    this.#say(text);
  }

  #exports(): Export[] {
    const { recording, bytes, request } = this.#options;
    const say = (text: string): void => {
      this.#context.announce(text);
      this.#say(text);
    };
    const exporter = { context: this.#context, bytes, main: this.#main, shell: this.#root, say };
    const pandas = (): string => pandasLine(recording, this.#filter.value, request !== undefined);
    return [
      { label: "Copy selection as Python", run: () => void this.#copy() },
      { label: "Copy selected or filtered ops as a cell", run: () => void this.#copyCode() },
      { label: "Copy the line for a pandas DataFrame", run: () => void this.#copy(pandas()) },
      {
        label: "Copy the view in words",
        run: () => void this.#copy(wholeText(this.#chosen, this.#context)),
      },
      ...fileExports({ ...exporter, view: () => this.#chosen.id }),
    ];
  }

  /** What is printed in place of a picture that paper would cut: the summary that the page has, else the findings. */
  #printed(host: Element): HTMLElement {
    const { recording } = this.#options;
    const own = host.childNodes.length > 0;
    const { title, facts } = headline(recording);
    const { stop, all } = findings(recording);
    const lines = [
      ...(stop ? [stop.text] : []),
      ...all.map(({ text, fix }) => (fix ? `${text}. To do: ${fix}` : text)),
    ];
    const text = [title, facts.join(" · "), "", ...lines, lookedFor(recording)?.text ?? NOT_JUDGED].join("\n");
    return h("div", { class: "tv-print" }, h("slot"), own ? null : h("pre", {}, text));
  }
}
