import { Disposer, h, on, type Dispose } from "@tapeviz/core";
import { factsOf } from "../facts";
import { whatIf } from "../shell/whatif";
import type { ViewContext } from "../view";
import { shortName } from "./tapetable";
import type { Step } from "./walk";

/** The tensors of a step that can have other values: what its op reads, and what it gives. No gradient is among them. */
export function changeable({ kind, inputs, result, subject }: Step): number[] {
  const forward = kind === "forward" ? result : subject;
  return [...new Set([...inputs, forward])].filter((tensor) => tensor >= 0);
}

/** Where an element of a matrix stands in its tensor: at the first place of all axes but the last two. */
export function indexOf(shape: readonly number[], i: number): number[] {
  const cols = shape.at(-1) ?? 1;
  return [...Array<number>(Math.max(0, shape.length - 2)).fill(0), Math.floor(i / cols), i % cols].slice(
    shape.length < 2 ? 2 - shape.length : 0,
  );
}

/** Fields that change what a step reads; the program then runs again, and all steps have the numbers of that run. */
export class StepWhatIf {
  readonly element = h("details", { class: "tvw-what-if" });
  readonly dispose: Dispose;
  readonly #lasting = new Disposer();
  #shown = new Disposer();
  #tensors: readonly number[] = [];
  #tensor = -1;

  constructor(private readonly context: ViewContext) {
    const { experiments } = context;
    this.element.hidden = !experiments;
    if (experiments)
      this.#lasting.add(experiments.edits.on((edits) => void (edits.length > 0 && (this.element.open = true))));
    this.#lasting.add(() => this.#shown.dispose());
    this.dispose = this.#lasting.dispose;
  }

  /** Offers the tensors of a step; what was chosen stays so where it is one of them. */
  show(step: Step): void {
    const tensors = changeable(step);
    if (String(tensors) === String(this.#tensors)) return;
    this.#tensors = tensors;
    this.#choose(tensors.includes(this.#tensor) ? this.#tensor : (tensors[0] ?? -1));
  }

  /** Has an element be the one that is changed, and puts the focus on its field. */
  edit(tensor: number, i: number): void {
    const { experiments, recording } = this.context;
    if (!experiments || experiments.refusal || !this.#tensors.includes(tensor)) return;
    this.element.open = true;
    experiments.cursor.set({ tensor, index: indexOf(factsOf(recording).shape(tensor), i) });
    if (tensor !== this.#tensor) this.#choose(tensor);
    experiments.focus.set(experiments.focus.value + 1);
  }

  #choose(tensor: number): void {
    this.#shown.dispose();
    this.#shown = new Disposer();
    this.#tensor = tensor;
    const facts = factsOf(this.context.recording);
    const choice = h("select", { "aria-label": "what to change" });
    for (const one of this.#tensors)
      choice.append(h("option", { value: one, selected: one === tensor }, shortName(facts.name(one))));
    this.#shown.add(on(choice, "change", () => this.#choose(Number(choice.value))));
    const which = h("label", { class: "tvw-which" }, "What if this were other: ", choice);
    const parts = whatIf(this.context, tensor, this.#shown);
    this.element.replaceChildren(h("summary", { title: "Change a value of the step (e)" }, "What if"), which, ...parts);
  }
}
