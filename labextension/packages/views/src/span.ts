import type { Recording } from "@tapeviz/recording";

/** What the params of a span say: its sort (scope, module, function, step, backward, cell, tape) and its name. */
export function spanOf(recording: Recording, row: number): { kind: string; name: string } {
  const text = recording.text(recording.events.params[row]);
  try {
    const { span, name } = JSON.parse(text) as { span?: string; name?: string };
    return { kind: span ?? "span", name: name ?? span ?? "span" };
  } catch {
    return { kind: "span", name: text || "span" };
  }
}
