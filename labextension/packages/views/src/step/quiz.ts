import { format, h, on } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";
import { position } from "./element";
import type { Values } from "./values";
import { resultName, type Step } from "./walk";

/** What is asked before a step's result is shown. */
export type Question =
  | { readonly kind: "shape"; readonly text: string; readonly choices: readonly string[]; readonly right: string }
  | { readonly kind: "number"; readonly text: string; readonly right: number };

/** An answer is right within this part of the number. */
const TOLERANCE = 0.02;

/** A question about a step: its shape where shapes say something, else one of its numbers; null where none is known. */
export function questionOf(recording: Recording, step: Step, values: Values): Question | null {
  const facts = factsOf(recording);
  const name = resultName(facts, step);
  const right = spec(facts.shape(step.result));
  const shapes = [step.upstream, ...step.inputs].filter((tensor) => tensor >= 0).map((tensor) => facts.shape(tensor));
  const turned = shapes.map((shape) => [...shape].reverse());
  const choices = [...new Set([right, ...[...shapes, ...turned].map(spec)])].slice(0, 4);
  const telling = step.kind !== "sum" && !(step.elementwise && step.axes.length === 0);
  if (telling && choices.length > 1 && facts.shape(step.result).length > 0)
    return { kind: "shape", text: `Which shape has ${name}?`, choices: shuffled(choices, step.event), right };
  const made = values.matrix(step.result);
  if (!made || !Number.isFinite(made.numbers[0])) return null;
  const at = position(made, 0);
  return { kind: "number", text: `How large is ${name}${at}?`, right: made.numbers[0] };
}

export function isRight(question: Question, answer: string): boolean {
  if (question.kind === "shape") return answer === question.right;
  const given = Number(answer.trim().replace("−", "-").replace(",", "."));
  if (answer.trim() === "" || Number.isNaN(given)) return false;
  return Math.abs(given - question.right) <= Math.max(TOLERANCE * Math.abs(question.right), 1e-6);
}

/** The question with its choices or its box, and a way to give up. */
export function questionElement(question: Question | null, answer: (given: string | null) => void): HTMLElement {
  const reveal = h("button", { type: "button", class: "tvw-reveal" }, question ? "Show it (r)" : "Show the step (r)");
  on(reveal, "click", () => answer(null));
  if (!question) return h("div", { class: "tvw-question" }, reveal);
  const text = h("p", {}, question.text);
  if (question.kind === "shape") {
    const buttons = question.choices.map((choice, i) => {
      const button = h("button", { type: "button", class: "tvw-choice" }, h("kbd", {}, "abcd"[i]), choice);
      on(button, "click", () => answer(choice));
      return button;
    });
    return h("div", { class: "tvw-question" }, text, h("div", { class: "tvw-choices" }, ...buttons, reveal));
  }
  const input = h("input", { type: "text", inputmode: "decimal", "aria-label": question.text, size: 10 });
  const submit = h("button", { type: "submit" }, "Check");
  const form = h("form", { class: "tvw-choices" }, input, submit, reveal);
  on(form, "submit", (event) => {
    event.preventDefault();
    answer(input.value);
  });
  return h("div", { class: "tvw-question" }, text, form);
}

/** What to say of an answer: null is none. */
export function verdictOn(question: Question, given: string | null): string {
  const right = question.kind === "shape" ? question.right : format.number(question.right, 4);
  if (given === null) return `It is ${right}.`;
  return isRight(question, given) ? `Right: ${right}.` : `Not ${given.trim() || "that"}: ${right}.`;
}

const spec = (shape: readonly number[]): string =>
  shape.length === 0 ? "()" : `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;

/** In an order that a step's number decides: the same each time, and not with the right one first. */
function shuffled(all: readonly string[], seed: number): string[] {
  const list = [...all];
  for (let i = list.length - 1, state = seed * 2654435761 + 12345; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = state % (i + 1);
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}
