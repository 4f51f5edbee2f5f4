import { ellipsize, ellipsizeName, type Measure } from "@tapeviz/core";
import type { Lane } from "./model";
import type { RepeatBar } from "./spans";

/** How wide texts are: those on ops and spans, the smaller ones below them, and source lines. */
export interface Measures {
  readonly measure: Measure;
  readonly small: Measure;
  readonly code: Measure;
}

/** What could be said on a block, the best first; given from outside because it needs the recording's names. */
export type LabelCandidates = (
  row: number,
  lane: Lane,
  bar?: RepeatBar,
) => {
  readonly label: string;
  /** The same with less around it, for where there is little room. */
  readonly short: string;
  readonly sub: readonly string[];
  readonly took: string;
};

/** What fits: the name, what it made, how long it took; upright on a narrow block. */
export interface BlockLabel {
  readonly label: string;
  readonly sub: string;
  readonly took: string;
  readonly upright: boolean;
}

/** From this height on an op's words have three rows: the glyph and its time, its name, what it made. */
export const ROOMY = 52;
/** Narrower blocks have less air beside their words, and smaller words. */
export const NARROW = 80;
/** On blocks narrower than this words stand upright, below the glyph. */
const UPRIGHT = 62;
export const inset = (w: number): number => (w < NARROW ? 5 : 8);

/** What the glyph takes: beside the words, and above upright ones. */
export const ICON = 16;
export const HEAD = 22;

export const NO_LABEL: BlockLabel = { label: "", sub: "", took: "", upright: false };

/** The words on a block `w` wide, cut to what fits. */
export function fitLabel(
  { lane, h }: { readonly lane: Lane; readonly h: number },
  row: number,
  w: number,
  measures: Measures,
  candidates: LabelCandidates,
  bar?: RepeatBar,
): BlockLabel {
  if (w < 16 || lane.kind === "pause") return NO_LABEL;
  const said = candidates(row, lane, bar);
  if (bar) return { ...NO_LABEL, label: (bar.block < 0 ? counted : whole)(said, w - 14, measures.measure) };
  if (lane.kind === "line") return { ...NO_LABEL, label: ellipsize(said.label, w - 14, measures.code) };
  if (lane.kind === "setup") return { ...NO_LABEL, label: ellipsize(said.label, w - 14, measures.small) };
  if (lane.kind === "span" || lane.kind === "function")
    return { ...NO_LABEL, label: ellipsize(said.label, w - 14, measures.measure) };
  return w < UPRIGHT && h >= ROOMY ? upright(said, w, h, measures) : flat(said, w, h, measures);
}

type Said = ReturnType<LabelCandidates>;

/** A name and how often: the name is cut, never the number. */
function counted({ label, short }: Said, room: number, measure: Measure): string {
  const cut = ellipsizeName(label, room - measure(` ${short}`), measure);
  if (cut !== "" && !isStub(cut, label)) return `${cut} ${short}`;
  return measure(short) <= room ? short : "";
}

/** Half a number would be another one. */
const whole = ({ label, short }: Said, room: number, measure: Measure): string =>
  [label, short].find((text) => measure(text) <= room) ?? "";

function flat(said: Said, w: number, h: number, { measure, small }: Measures): BlockLabel {
  const beside = w - 2 * inset(w) - ICON;
  const room = h >= ROOMY ? w - 2 * inset(w) : beside;
  const label = ellipsize(said.label, room, w < NARROW ? small : measure);
  if (isStub(label, said.label)) return NO_LABEL;
  const took = h >= ROOMY && small(said.took) <= beside ? said.took : "";
  return { label, sub: below(said.sub, room, small), took, upright: false };
}

function upright(said: Said, w: number, h: number, { small }: Measures): BlockLabel {
  const room = h - HEAD - 8;
  const label = ellipsize(said.short, room, small);
  if (isStub(label, said.short)) return NO_LABEL;
  return { label, sub: w >= 36 ? below(said.sub, room, small) : "", took: "", upright: true };
}

/** Two letters of a name say less than its glyph alone. */
const isStub = (label: string, whole: string): boolean => label !== whole && label.length < 5;

/** Half a shape would be another shape: only names are cut. */
function below(candidates: readonly string[], room: number, small: Measure): string {
  const last = candidates.at(-1) ?? "";
  return candidates.find((text) => small(text) <= room) ?? (/^\p{L}/u.test(last) ? ellipsize(last, room, small) : "");
}
