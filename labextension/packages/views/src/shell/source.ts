import { h } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";

/** The user's line an op stands on, with its call marked. */
export function sourceLine(recording: Recording, event: number): HTMLElement[] {
  const place = factsOf(recording).place(event);
  if (!place) return [];
  const { column, end_column, file, cell } = recording.sites;
  const { site, text } = place;
  const indent = text.length - text.trimStart().length;
  const [from, to] =
    column[site] >= indent && end_column[site] <= text.length ? [column[site], end_column[site]] : [indent, indent];
  const code = h(
    "pre",
    { class: "tv-source", tabindex: "0", "aria-label": "Source line" },
    text.slice(indent, from),
    to > from && h("mark", {}, text.slice(from, to)),
    text.slice(to).trimEnd(),
  );
  const where =
    cell[site] >= 0 && place.cell >= 0
      ? `Cell ${place.cell}, line ${place.line}`
      : `${file[site].replace(/^.*[\\/]/, "")}, line ${place.line}`;
  return [h("h4", {}, where), code];
}
