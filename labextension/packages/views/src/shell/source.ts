import { h } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";

/** The user's line an op stands on, with its call marked. */
export function sourceLine(recording: Recording, event: number): HTMLElement[] {
  return siteLine(recording, factsOf(recording).site(event));
}

/** A line of the user's, given by its row of `sites`, with the call on it marked. */
export function siteLine(recording: Recording, site: number): HTMLElement[] {
  const { sites, cells } = recording;
  if (site < 0 || site >= sites.rows) return [];
  const { column, end_column, file, cell } = sites;
  const [text, line, number] = [sites.text[site], sites.line[site], cells.number[cell[site]] ?? -1];
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
    cell[site] >= 0 && number >= 0
      ? `Cell ${number}, line ${line}`
      : `${file[site].replace(/^.*[\\/]/, "")}, line ${line}`;
  return [h("h4", {}, where), code];
}
