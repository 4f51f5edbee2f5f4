import { format } from "@tapeviz/core";
import { faultText } from "../gradientfaults";
import { effectText } from "../nodes";
import type { View } from "../view";
import {
  changeText,
  costParts,
  sizeText,
  tracedFunctions,
  type SessionRun,
  type TraceCard,
  type Traced,
} from "./cards";

/** Functions and their traces in words: why each was made, what changed, what it cost, how often it ran. */
export const tracesText: View["text"] = ({ recording, selection }) => {
  const all = tracedFunctions(recording);
  if (all.length === 0) return "Traces: nothing was traced.\n";
  const chosen = selection.node.value.graph;
  const traces = all.reduce((n, { traces: own }) => n + own.length, 0);
  const head = `Traces: ${format.plural(all.length, "function")}, ${format.plural(traces, "trace")}.`;
  return [head, ...all.flatMap((traced) => ["", ...section(traced, chosen)]), ""].join("\n");
};

function section({ name, facts, traces, runs }: Traced, chosen: number): string[] {
  return [`${name}: ${facts.join(", ")}`, ...traces.flatMap((card) => cardLines(card, chosen)), ...runs.map(runLine)];
}

function cardLines(card: TraceCard, chosen: number): string[] {
  const costs = costParts(card.costs).map(({ name, ns }) => `${name} ${format.duration(ns)}`);
  return [
    `${card.graph === chosen ? ">" : " "} ${card.title}${card.where ? ` (${card.where})` : ""}`,
    card.reason && `    ${card.reason}`,
    ...card.faults.map((fault) => `    ${faultText(fault)}`),
    ...card.arguments.map((argument) => `    ${argument.changed ? "≠" : " "} ${changeText(argument)}`),
    card.fix && `    to avoid it: ${card.fix}`,
    costs.length > 0 ? `    ${costs.join(", ")}` : "",
    `    ${sizeText(card)}`,
    ...card.effects.map(({ text, where }) => `    ${effectText(text)}${where ? ` (${where})` : ""}`),
  ].filter(Boolean);
}

function runLine({ fed, fetched, pruned }: SessionRun, i: number): string {
  const parts = [fed.length > 0 && `fed ${fed.join(", ")}`, fetched.length > 0 && `fetched ${fetched.join(", ")}`];
  const left = pruned > 0 ? `${format.plural(pruned, "node")} not needed` : "";
  return `  run ${i + 1}: ${[...parts, left].filter(Boolean).join("; ")}`;
}
