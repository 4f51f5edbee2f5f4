import { Disposer, format, h, on, style, type Dispose } from "@tapeviz/core";
import codeCss from "../code/code.css";
import type { Recording } from "@tapeviz/recording";
import type { View, ViewContext } from "../view";
import { factsOf } from "../facts";
import { codeLines } from "./codelines";
import { workingOf } from "./contribution";
import { workedElement } from "./element";
import { explanation, titleOf } from "./explanation";
import { gradientFaults, type GradientFault } from "../gradientfaults";
import { faultLine } from "../severity";
import { GraphSoFar } from "./graphsofar";
import { iterationsOf } from "./iterations";
import { isRight, questionElement, questionOf, verdictOn, type Question } from "./quiz";
import { stepAt } from "./place";
import css from "./step.css";
import { entriesOf, tapeTable, type Entry } from "./tapetable";
import { stepPages, stepText } from "./text";
import { Values } from "./values";
import { StepWhatIf, changeable } from "./whatif";
import { MOST_EVENTS, stepsOf, type Step } from "./walk";

/** An answer to a question, or null where the result was shown without one. */
interface Given {
  readonly answer: string | null;
  readonly right: boolean;
}

/** So many findings stand above the steps; the panel of findings has them all. */
const MOST_FAULTS = 3;

/** What was asked and answered of a recording lasts as long as the page, whichever view is shown. */
interface QuizState {
  on: boolean;
  readonly given: Map<number, Given>;
}

const quizzes = new WeakMap<Recording, QuizState>();

function quizOf(recording: Recording): QuizState {
  const known = quizzes.get(recording) ?? { on: false, given: new Map<number, Given>() };
  quizzes.set(recording, known);
  return known;
}

/** The program, and then its backward pass, one move after the other. */
class StepView {
  readonly #root = h("div", { class: "tvw", tabindex: -1 });
  readonly #disposer = new Disposer();
  readonly #values: Values;
  readonly #quiz: QuizState;
  readonly #whatIf: StepWhatIf;
  #steps: readonly Step[] = [];
  #entries: readonly Entry[] = [];
  #iterations: ReadonlyMap<number, readonly number[]> = new Map();
  #graph: GraphSoFar | null = null;
  #at = 0;
  #element = 0;
  #moving = false;
  #frame = 0;

  readonly #bar = h("div", { class: "tvw-bar" });
  readonly #faults = h("div", { class: "tvw-faults" });
  readonly #code = h("div", { class: "tvw-part", role: "group", "aria-label": "Code", tabindex: 0 });
  readonly #tape = h("div", { class: "tvw-part", role: "group", "aria-label": "Tape", tabindex: 0 });
  readonly #told = h("div", { class: "tvw-told", role: "group", "aria-label": "Explanation", tabindex: 0 });
  readonly #telling = h("div", { class: "tvw-telling" });
  readonly #picture = h("div", { class: "tvw-picture", role: "group", "aria-label": "Graph so far", tabindex: 0 });

  constructor(
    parent: HTMLElement,
    private readonly context: ViewContext,
  ) {
    style(parent, codeCss);
    style(parent, css);
    const side = h("div", { class: "tvw-side" }, this.#code, this.#tape);
    const main = h("div", { class: "tvw-main" }, this.#told, this.#picture);
    this.#root.append(this.#bar, this.#faults, h("div", { class: "tvw-body" }, side, main));
    parent.append(this.#root);
    this.#quiz = quizOf(context.recording);
    this.#values = new Values(context, () => this.#later());
    this.#whatIf = new StepWhatIf(context);
    this.#told.append(this.#telling, this.#whatIf.element);
    const { selection, changed, matches, experiments } = context;
    this.#disposer.add(
      this.#whatIf.dispose,
      experiments?.outcome.on(() => this.#later()) ?? (() => undefined),
      () => this.#root.remove(),
      () => cancelAnimationFrame(this.#frame),
      changed.on(() => this.#read()),
      matches.on(() => this.#draw()),
      selection.selected.on((key) => {
        const at = stepAt(this.#steps, key);
        if (!this.#moving && at >= 0) this.#go(at, false);
      }),
      ...this.#keys(),
    );
    this.#read();
  }

  readonly dispose: Dispose = () => this.#disposer.dispose();

  /** Reads the steps: of a growing recording again and again. */
  #read(): void {
    const { recording, selection } = this.context;
    this.#steps = stepsOf(recording);
    this.#entries = entriesOf(recording, this.#steps);
    this.#iterations = iterationsOf(recording, this.#steps);
    this.#graph = new GraphSoFar(recording, this.#steps, this.#entries, this.#values);
    this.#faults.replaceChildren(
      ...gradientFaults(recording)
        .slice(0, MOST_FAULTS)
        .map((fault) => this.#faultLine(fault)),
    );
    const selected = stepAt(this.#steps, selection.selected.value);
    this.#at = selected >= 0 ? selected : Math.min(this.#at, Math.max(0, this.#steps.length - 1));
    this.#draw();
  }

  /** Where a gradient is lost: the way to the step, where it is among those that are shown. */
  #faultLine(fault: GradientFault): HTMLElement {
    const at = stepAt(this.#steps, { event: fault.forward, tensor: -1, step: -1 });
    return faultLine(fault, at < 0 ? null : () => this.#go(at));
  }

  /** Goes to a step; `tell` selects it in all views. */
  #go(at: number, tell = true): void {
    if (at < 0 || at >= this.#steps.length) return;
    if (at !== this.#at) this.#element = 0;
    this.#at = at;
    const { event, result } = this.#steps[at];
    if (tell) {
      this.#moving = true;
      this.context.selection.select({ event, tensor: result });
      this.#moving = false;
      this.context.announce(this.#spoken());
    }
    this.#draw();
  }

  /** The next step in a direction, of those that the filter leaves. */
  #move(by: 1 | -1): void {
    const { matches, recording } = this.context;
    const facts = factsOf(recording);
    const isLeft = ({ event }: Step): boolean => !matches.value || matches.value[facts.eventRow(event)] === 1;
    for (let at = this.#at + by; at >= 0 && at < this.#steps.length; at += by)
      if (isLeft(this.#steps[at])) return this.#go(at);
    this.context.announce(by > 0 ? "The last step" : "The first step");
  }

  #spoken(): string {
    const { recording } = this.context;
    const step = this.#steps[this.#at];
    const title = `Step ${this.#at + 1} of ${this.#steps.length}, ${step.kind}: ${titleOf(recording, this.#values, step)}`;
    if (this.#isHidden()) return `${title}. ${this.#question()?.text ?? ""}`;
    const working = workingOf(step, this.#values);
    return [title, workedElement(step, working, this.#values, this.#element)?.text].filter(Boolean).join(". ");
  }

  #isHidden(): boolean {
    return this.#quiz.on && !this.#quiz.given.has(this.#at) && this.#steps[this.#at]?.kind !== "seed";
  }

  #question(): Question | null {
    return questionOf(this.context.recording, this.#steps[this.#at], this.#values);
  }

  #answer(answer: string | null): void {
    const question = this.#question();
    const { announce, request, recording } = this.context;
    const right = question !== null && answer !== null && isRight(question, answer);
    if (question && answer !== null)
      void request?.({
        kind: "quiz",
        step: this.#at + 1,
        line: factsOf(recording).location(this.#steps[this.#at].event)?.line ?? -1,
        question: question.text,
        answer,
        right,
      }).catch(() => undefined); // a kernel that is gone keeps no score
    this.#quiz.given.set(this.#at, { answer, right });
    if (question) announce(verdictOn(question, answer));
    this.#draw();
    this.#root.focus({ preventScroll: true });
  }

  #later(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  #draw(): void {
    const { recording } = this.context;
    const step = this.#steps[this.#at];
    if (!step) return this.#telling.replaceChildren(h("p", { class: "tv-muted" }, "Nothing ran: there are no steps."));
    const hidden = this.#isHidden();
    this.#drawBar(step);
    this.#code.replaceChildren(codeLines(recording, step.event));
    const table = tapeTable(
      recording,
      this.#steps,
      this.#entries,
      this.#at,
      this.#values,
      hidden,
      this.context.matches.value,
      (at) => this.#go(at),
    );
    const note = h("p", { class: "tvw-legend" }, "— : no gradient has arrived. That is not 0.");
    this.#tape.replaceChildren(table, note);
    const pick = (element: number): void => {
      this.#element = element;
      this.#draw();
    };
    const asked = hidden && this.#question()?.kind === "shape" ? ("all" as const) : hidden;
    const edit = (tensor: number, element: number): void => this.#whatIf.edit(tensor, element);
    const state = { step, element: this.#element, hidden: asked, pick, edit };
    this.#telling.replaceChildren(...explanation(recording, this.#values, state), ...this.#quizElements(hidden));
    this.#whatIf.show(step);
    this.#picture.replaceChildren(this.#graph!.draw(this.#at));
    for (const part of [this.#code, this.#tape, this.#picture]) show(part);
  }

  #quizElements(hidden: boolean): HTMLElement[] {
    if (!this.#quiz.on) return [];
    const question = this.#question();
    if (hidden) return [questionElement(question, (given) => this.#answer(given))];
    const given = this.#quiz.given.get(this.#at);
    if (!given || !question) return [];
    const look = given.answer === null ? "tvw-shown" : given.right ? "tvw-right" : "tvw-wrong";
    return [h("p", { class: `tvw-verdict ${look}` }, verdictOn(question, given.answer))];
  }

  #drawBar(step: Step): void {
    const [steps, at] = [this.#steps, this.#at];
    const button = (text: string, title: string, run: () => void, off: boolean): HTMLButtonElement => {
      const element = h("button", { type: "button", title, "aria-label": title, disabled: off });
      element.textContent = text;
      on(element, "click", run);
      return element;
    };
    const last = steps.length - 1;
    const slider = h("input", { type: "range", min: 1, max: steps.length, value: at + 1, "aria-label": "Step" });
    on(slider, "input", () => this.#go(Number(slider.value) - 1));
    const half = step.kind === "forward" ? "forward" : "backward";
    const held = this.#bar.contains((this.#bar.getRootNode() as ShadowRoot).activeElement)
      ? (this.#bar.getRootNode() as ShadowRoot).activeElement?.getAttribute("aria-label")
      : null;
    this.#bar.replaceChildren(
      h(
        "div",
        { class: "tvw-buttons", role: "group", "aria-label": "Steps" },
        button("|◀", "First step (Home)", () => this.#go(0), at === 0),
        button("◀", "Step back (←)", () => this.#move(-1), at === 0),
        button("▶", "Next step (→)", () => this.#move(1), at === last),
        button("▶|", "Last step (End)", () => this.#go(last), at === last),
      ),
      h("div", { class: "tvw-track" }, halves(steps), slider),
      h(
        "span",
        { class: `tvw-where tvw-${half}` },
        h("b", {}, `${at + 1}`),
        ` of ${this.#isCut() ? "the first " : ""}${format.count(steps.length)}, ${half}`,
      ),
      ...this.#iterationSlider(),
      this.#quizToggle(),
    );
    if (held)
      this.#bar
        .querySelector<HTMLElement>(`[aria-label="${CSS.escape(held)}"]:not(:disabled)`)
        ?.focus({ preventScroll: true });
  }

  #isCut(): boolean {
    return this.context.recording.events.rows > MOST_EVENTS;
  }

  /** The same call on the same line, the time before and after: a loop's iterations. */
  #iterationSlider(): HTMLElement[] {
    const runs = this.#iterations.get(this.#at);
    if (!runs) return [];
    const now = runs.indexOf(this.#at) + 1;
    const line = factsOf(this.context.recording).location(this.#steps[this.#at].event)?.line ?? 0;
    const where = line > 0 ? ` of line ${line}` : "";
    const slider = h("input", { type: "range", min: 1, max: runs.length, value: now, "aria-label": `Run${where}` });
    on(slider, "input", () => this.#go(runs[Number(slider.value) - 1]));
    return [h("label", { class: "tvw-runs" }, `run ${now} of ${runs.length}${where}`, slider)];
  }

  #quizToggle(): HTMLElement {
    const asked = [...this.#quiz.given.values()].filter(({ answer }) => answer !== null);
    const right = asked.filter((given) => given.right).length;
    const score = this.#quiz.on && asked.length > 0 ? `Quiz: ${right} of ${asked.length}` : "Quiz";
    const title = "Predict each result before it is shown (q)";
    const toggle = h(
      "button",
      { type: "button", title, "aria-label": score, "aria-pressed": String(this.#quiz.on) },
      score,
    );
    on(toggle, "click", () => this.#toggleQuiz());
    return h("div", { class: "tvw-quiz" }, toggle);
  }

  /** The first value that the step reads, or the chosen one of what it gives, to be changed by keys. */
  #change(): void {
    const { experiments, announce } = this.context;
    const [tensor] = changeable(this.#steps[this.#at]);
    if (experiments?.refusal) announce(experiments.refusal);
    this.#whatIf.edit(tensor ?? -1, 0);
  }

  #toggleQuiz(): void {
    this.#quiz.on = !this.#quiz.on;
    this.#draw();
    this.context.announce(this.#quiz.on ? `Quiz on. ${this.#question()?.text ?? ""}` : "Quiz off");
  }

  #keys(): Dispose[] {
    const { keys } = this.context;
    const half = (kind: Step["kind"]): void => this.#go(this.#steps.findIndex((step) => step.kind === kind));
    const inQuiz = (run: () => void) => (): unknown => (this.#isHidden() ? run() : false);
    const choose = (i: number) => (): unknown => {
      const question = this.#isHidden() ? this.#question() : null;
      const choice = question?.kind === "shape" ? question.choices[i] : undefined;
      return choice === undefined ? false : this.#answer(choice);
    };
    const element = (by: number) => (): void => {
      const made = this.#values.matrix(this.#steps[this.#at]?.result ?? -1);
      if (!made || this.#isHidden()) return;
      this.#element = (this.#element + by + made.numbers.length) % made.numbers.length;
      this.#draw();
      this.context.announce(this.#spoken());
    };
    return [
      keys.bind("ArrowRight", "Next step", () => this.#move(1)),
      keys.bind("ArrowLeft", "Step back", () => this.#move(-1)),
      keys.bind("Home", "First step", () => this.#go(0)),
      keys.bind("End", "Last step", () => this.#go(this.#steps.length - 1)),
      keys.bind("b", "Where the backward half begins", () => half("seed")),
      keys.bind("ArrowDown", "How the next element is made", element(1)),
      keys.bind("ArrowUp", "How the element before is made", element(-1)),
      keys.bind("q", "Quiz on or off", () => this.#toggleQuiz()),
      keys.bind("e", "Change a value of the step", () => this.#change()),
      keys.bind(
        "r",
        "Show the result",
        inQuiz(() => this.#answer(null)),
      ),
      ...["a", "b", "c", "d"].map((key, i) => keys.bind(key, `Answer ${key}`, choose(i))),
    ];
  }
}

/** Which of the steps go forward and which back. */
function halves(steps: readonly Step[]): HTMLElement {
  const parts: { back: boolean; count: number }[] = [];
  for (const { kind } of steps) {
    const back = kind !== "forward";
    const last = parts.at(-1);
    if (last?.back === back) last.count += 1;
    else parts.push({ back, count: 1 });
  }
  const shown = parts.length > 200 ? [] : parts;
  return h(
    "div",
    { class: "tvw-halves", "aria-hidden": "true" },
    ...shown.map(({ back, count }) => h("i", { class: back ? "tvw-back" : undefined, style: `flex:${count}` })),
  );
}

/** Brings what the step is about into view, moving nothing but that part. */
function show(part: HTMLElement): void {
  const now = part.querySelector<Element>(".tvw-now");
  if (!now) return;
  const [outer, inner] = [part.getBoundingClientRect(), now.getBoundingClientRect()];
  const head = part.querySelector("thead")?.clientHeight ?? 0;
  if (inner.top < outer.top + head) part.scrollTop -= outer.top + head + 8 - inner.top;
  else if (inner.bottom > outer.bottom) part.scrollTop += inner.bottom - outer.bottom + 8;
  // A row that is half under the heading is brought out whole.
  const under = [...part.querySelectorAll("tbody tr")].find(
    (row) => row.getBoundingClientRect().bottom > outer.top + head,
  );
  const above = under ? outer.top + head - under.getBoundingClientRect().top : 0;
  if (head > 0 && above > 0) part.scrollTop -= above;
  if (inner.left < outer.left) part.scrollLeft -= outer.left - inner.left + 24;
  else if (inner.right > outer.right) part.scrollLeft += inner.right - outer.right + 24;
}

export const step: View = {
  id: "step",
  title: "Step",
  key: "7",
  fits: ({ ops }) => ops.rows > 0,
  wide: true,
  mount: (root, context) => new StepView(root, context).dispose,
  text: stepText,
  pages: stepPages,
};
