import { ellipsize, ellipsizeName, format, isScoped, STATES, type Family, type Measure } from "@tapeviz/core";
import { magnitudeText, type Figures, type Magnitude } from "../figures";
import type { Box } from "./box";

/** What a card says. */
export interface CardContent {
  readonly title: string;
  readonly sub: string;
  readonly shape: string;
  readonly family: Family;
  /** The value's figures; null where none were kept. */
  readonly figures: Figures | null;
  readonly range: string;
  /** Null where no backward pass is shown. */
  readonly gradient: Magnitude | null;
  /** A closed group: how many blocks it repeats. 0 for a node. */
  readonly stack: number;
  /** Gradients of its blocks, which stand side by side in the place of the bar. */
  readonly blocks?: readonly Magnitude[];
  /** Its title is the user's name: then what is below it says the op. */
  readonly named: boolean;
}

/** What a card of a size on the screen shows: fewer things the smaller it is, its letters always as large as they are. */
export interface CardParts {
  readonly texts: readonly CardText[];
  /** x, y, width, height within the card. */
  readonly glyph: Box | null;
  readonly spark: Box | null;
  readonly bar: Box | null;
  /** Where the lines between value, name and gradient are. */
  readonly rules: readonly number[];
}

export interface CardText {
  readonly role: "title" | "name" | "sub" | "shape" | "range" | "gradient" | "times";
  readonly text: string;
  /** The left end and the middle line, within the card. */
  readonly x: number;
  readonly y: number;
  readonly w: number;
}

export interface Measures {
  /** 12 px, heavy; 11 px. */
  readonly title: Measure;
  readonly small: Measure;
}

/** The size of a card at scale 1. */
export const CARD = { width: 156, least: 98, height: 88 } as const;
/** The height of the strips above and below, of which the lower is only there with a backward pass. */
export const STRIP = 23;
const padding = (w: number): number => (w < 110 ? 7 : 9);
const GLYPH = 11;
const TWO_LINES = 31;
// In narrower ones glyph and name stand one above the other.
const LEAST = 84;

export function cardParts(content: CardContent, w: number, h: number, measures: Measures): CardParts {
  if (h < 18 || w < LEAST) return afar(content, w, h, measures);
  const pad = padding(w);
  const bars = h >= 30 && content.gradient !== null;
  const isEmpty = content.figures === null && content.range === "" && content.gradient === null;
  const strips = !isEmpty && h >= CARD.height - 14 - (content.gradient === null ? STRIP : 0);
  const top = strips ? STRIP : 0;
  const bottom = !bars ? 0 : strips ? STRIP : h >= 50 ? 18 : 7;
  const room = { y: top, h: h - top - bottom };
  const texts = names(content, w, room, measures);
  const spark = strips ? sparkAndRange(content, w, measures, texts) : null;
  const bar = bars ? gradientBar(content, { w, h, bottom }, measures, texts) : null;
  return {
    texts,
    spark,
    bar,
    glyph: { x: pad, y: room.y + titleLine(room.h) - GLYPH / 2, w: GLYPH, h: GLYPH },
    rules: strips ? [top, ...(bars ? [h - bottom] : [])] : [],
  };
}

/** From afar: the glyph, below it as many lines as there is room for (name, norm, shape), at the bottom the bar. */
function afar(content: CardContent, w: number, h: number, { small }: Measures): CardParts {
  const high = (content.blocks?.length ?? 0) > 0 && h >= 44 ? 14 : 4;
  const bar = h >= 18 && content.gradient !== null ? { x: 4, y: h - high - 3, w: w - 8, h: high } : null;
  const room = h - (bar ? high + 4 : 0);
  const most = room < 32 ? 0 : Math.floor((room - 20) / 14);
  const lines = linesAfar(content, w - 6, small, most).slice(0, most);
  const size = Math.min(w - 2, room - 2, GLYPH + 3);
  const top = (room - size - 14 * lines.length) / 2;
  const glyph = size < 4 ? null : { x: (w - size) / 2, y: top, w: size, h: size };
  const texts = lines.map(({ role, text }, i): CardText => {
    const wide = small(text);
    return { role, text, x: (w - wide) / 2, y: top + size + 9 + 14 * i, w: wide };
  });
  return { texts, glyph, spark: null, bar, rules: [] };
}

/** What a small card says, the most important first; what cannot be read is left out. */
function linesAfar(
  content: CardContent,
  room: number,
  small: Measure,
  most: number,
): Pick<CardText, "role" | "text">[] {
  const whole = content.stack > 1 ? `${content.title} ×${content.stack}` : content.title;
  const title = small(whole) <= room ? whole : content.title;
  const names = most > 2 ? onTwoLines(title, room, small) : [nameAfar(title, room, small, content.stack > 0)];
  const readable = names.length > 1 || names[0] === title || names[0].length > 3;
  const lines = readable ? names.map((text): Pick<CardText, "role" | "text"> => ({ role: "name", text })) : [];
  const times = title === whole ? "" : `×${content.stack}`;
  if (times !== "" && small(times) <= room) lines.push({ role: "times", text: times });
  const norm = content.gradient ? fitting(content.gradient, room, small) : "";
  if (norm !== "" && !norm.endsWith("…")) lines.push({ role: "gradient", text: norm });
  if (content.shape !== "" && small(content.shape) <= room) lines.push({ role: "shape", text: content.shape });
  return lines;
}

/** A name cut to a line: of layers, which are called alike, the end is kept, of an op the beginning. */
const nameAfar = (name: string, room: number, small: Measure, isGroup: boolean): string =>
  isGroup || isScoped(name) ? ellipsizeName(name, room, small) : ellipsize(name, room, small);

/** A name on one line where it fits, else broken behind one of its words; what is too long for the second line is cut. */
function onTwoLines(name: string, room: number, small: Measure): string[] {
  if (small(name) <= room) return [name];
  const ends = [...name.matchAll(/[_/ ]+/g)].map(({ index, 0: mark }) => index + mark.length);
  const fits = ends.filter((at) => at < name.length && small(name.slice(0, at)) <= room);
  // A number alone says little: it stays with its word.
  const end = fits.findLast((at) => name.length - at > 3) ?? fits.at(-1);
  if (end === undefined) return [ellipsizeName(name, room, small)];
  return [name.slice(0, end), ellipsizeName(name.slice(end), room, small)];
}

/** The middle of the title's line in a room of that height. */
const titleLine = (h: number): number => (h >= TWO_LINES ? h / 2 - lineStep(h) / 2 : h / 2);
const lineStep = (h: number): number => (h < 36 ? 14 : 16);

/** Glyph and name on one line; below it, where there is room, what it is and its shape. */
function names(
  content: CardContent,
  w: number,
  room: { y: number; h: number },
  { title, small }: Measures,
): CardText[] {
  const y = room.y + titleLine(room.h);
  const pad = padding(w);
  const left = pad + GLYPH + 6;
  const texts: CardText[] = [];
  const room1 = w - pad - left;
  const times = content.stack > 1 ? `×${content.stack}` : "";
  const beside = times !== "" && (room.h < TWO_LINES || title(content.title) + small(times) + 8 <= room1);
  const free = room1 - (beside ? small(times) + 8 : 0);
  // Ends tell long names apart, and those of layers always; of an op in short room the beginning says more.
  const whole = free >= 70 || content.stack > 0 || isScoped(content.title);
  const name = (whole ? ellipsizeName : ellipsize)(content.title, free, title);
  // A name in full comes before what would stand below it.
  if (name !== content.title && times === "" && room.h >= TWO_LINES) {
    const lines = wholeName(content.title, free, { title, small });
    if (lines) return lines.map((line, i) => ({ ...line, x: left, y: y + i * lineStep(room.h) }));
  }
  if (name) texts.push({ role: "title", text: name, x: left, y, w: title(name) });
  if (beside) texts.push({ role: "times", text: times, x: w - pad - small(times), y, w: small(times) });
  if (room.h < TWO_LINES) return texts;
  texts.push(
    ...second(
      times && !beside ? { ...content, shape: times } : content,
      y + lineStep(room.h),
      { pad, left, right: w - pad },
      small,
    ),
  );
  return texts;
}

/** A name that is too long for its line, whole on two or in smaller letters; null where it does not fit. */
function wholeName(
  name: string,
  room: number,
  { title, small }: Measures,
): Pick<CardText, "role" | "text" | "w">[] | null {
  for (const [role, measure] of [
    ["title", title],
    ["name", small],
  ] as const) {
    const lines = onTwoLines(name, room, measure);
    if (lines.join("") === name) return lines.map((text) => ({ role, text, w: measure(text) }));
  }
  return null;
}

/** What it is on the left, its shape on the right; where both do not fit an op keeps its name, a source its shape. */
function second(
  content: CardContent,
  y: number,
  { pad, left, right }: { pad: number; left: number; right: number },
  small: Measure,
): CardText[] {
  const wide = small(content.shape);
  const shape: CardText = { role: "shape", text: content.shape, x: right - wide, y, w: wide };
  const from = [left, pad].find((x) => x + small(content.sub) + 8 <= right - wide);
  if (from !== undefined) {
    const sub: CardText[] =
      content.sub === "" ? [] : [{ role: "sub", text: content.sub, x: from, y, w: small(content.sub) }];
    return content.shape === "" ? sub : [...sub, shape];
  }
  if (content.shape === "scalar" && small(content.sub) <= right - pad)
    return [{ role: "sub", text: content.sub, x: pad, y, w: small(content.sub) }];
  const beside = ellipsize(content.sub, right - wide - 8 - pad, small);
  const alone = ellipsize(content.sub, right - pad, small);
  if (beside.length > 7) return [{ role: "sub", text: beside, x: pad, y, w: small(beside) }, shape];
  if (content.named && alone !== "") return [{ role: "sub", text: alone, x: pad, y, w: small(alone) }];
  return wide <= right - pad && wide > 0 ? [shape] : [];
}

/** The strip above: a histogram on the left, the range on the right; of the two what fits. */
function sparkAndRange(content: CardContent, w: number, { small }: Measures, texts: CardText[]): Box | null {
  const { figures } = content;
  const bins = figures !== null && figures.min < figures.max && figures.bins.length > 0;
  const bad = figures !== null && figures.nan + figures.inf > 0;
  const pad = padding(w);
  const inside = w - 2 * pad;
  const [roomy, close] = [content.range, content.range.replace(" … ", "…")];
  const said = small(roomy) <= inside ? roomy : close;
  const range = small(said) <= inside || bad || !bins ? ellipsize(said, inside, small) : "";
  const wide = small(range);
  if (range) texts.push({ role: "range", text: range, x: w - pad - wide, y: 12, w: wide });
  const left = inside - (wide > 0 ? wide + 8 : 0);
  return bins && left >= 20 ? { x: pad, y: 5, w: Math.min(left, wide > 0 ? 44 : 64), h: 14 } : null;
}

/** The strip below: a bar on the fixed scale, the norm beside it where there is room. */
function gradientBar(
  content: CardContent,
  { w, h, bottom }: { w: number; h: number; bottom: number },
  { small }: Measures,
  texts: CardText[],
): Box | null {
  if (content.gradient === null) return null;
  const pad = padding(w);
  if (bottom < 18) return { x: pad, y: h - 8, w: w - 2 * pad, h: 4 };
  const y = h - bottom / 2;
  const text = fitting(content.gradient, w - 2 * pad, small);
  const wide = small(text);
  if (text) texts.push({ role: "gradient", text, x: w - pad - wide, y, w: wide });
  const left = w - 2 * pad - wide - 8;
  if ((content.blocks?.length ?? 0) > 0)
    return left < 16 ? null : { x: pad, y: h - bottom + 3, w: left, h: bottom - 6 };
  if (content.gradient.state !== "number") return null;
  return left < 16 ? null : { x: pad, y: y - 4, w: left, h: 8 };
}

/** A magnitude with as many digits as there is room for. */
function fitting(gradient: Magnitude, room: number, small: Measure): string {
  const texts =
    gradient.state === "number"
      ? [3, 2, 1].map((digits) => format.number(gradient.norm, digits))
      : gradient.state === "zero"
        ? [magnitudeText(gradient), STATES.zero.glyph]
        : [magnitudeText(gradient)];
  return texts.find((text) => small(text) <= room) ?? ellipsize(texts.at(-1)!, room, small);
}
