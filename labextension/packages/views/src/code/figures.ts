import { STATES } from "@tapeviz/core";
import { linesOf, STATUS, type LineActivity, type Recording } from "@tapeviz/recording";
import { factsOf, meta } from "../facts";
import { gradientFaults, type GradientFault } from "../gradientfaults";
import { judgementsOf, lookedFor } from "../health";

/** How the gradients of what a line made are; graver ones later in the list, and the gravest of a line is shown. */
export const HEALTHS = {
  ok: { glyph: "●", word: "ok" },
  zero: { glyph: STATES.zero.glyph, word: "zero" },
  vanishing: { glyph: "▽", word: "vanishing" },
  exploding: { glyph: "△", word: "exploding" },
  none: { glyph: STATES.none.glyph, word: STATES.none.text },
  nan: { glyph: STATES.nan.glyph, word: STATES.nan.text },
} as const;

export type Health = keyof typeof HEALTHS;

const RANK = Object.keys(HEALTHS) as Health[];

export interface Fault {
  readonly event: number;
  readonly type: string;
  readonly text: string;
}

/** What is known of one line of a file or a cell. */
export interface LineFigures extends LineActivity {
  readonly health: Health | null;
  readonly fault: Fault | null;
  /** Where gradients are lost, grow or stop being finite. */
  readonly lost: readonly GradientFault[];
}

/** Figures by `keyOf` the site of a line: of lines that ran ops, failed, or that a finding is about. */
export function figuresOf(recording: Recording): Map<string, LineFigures> {
  const lines = new Map<string, LineFigures>();
  for (const line of linesOf(recording)) {
    lines.set(lineKey(line.file, line.cell, line.line), {
      ...line,
      health: gravest(line.events.map((e) => healthOf(recording, e))),
      fault: null,
      lost: [],
    });
  }
  const update = (at: At | null, change: (line: LineFigures) => Partial<LineFigures>): void => {
    if (!at) return;
    const key = lineKey(at.file, at.cell, at.line);
    const before = lines.get(key) ?? { ...BLANK, ...at };
    lines.set(key, { ...before, ...change(before) });
  };
  for (const [site, health] of lostAt(recording))
    update(siteAt(recording, site), (line) => ({ health: gravest([line.health, health]) }));
  for (const [site, fault] of faults(recording)) update(siteAt(recording, site), () => ({ fault }));
  for (const found of gradientFaults(recording))
    update(siteAt(recording, found.site), (line) => ({ lost: [...line.lost, found] }));
  const stop = stopped(recording);
  if (stop) update(stop.at, (line) => ({ fault: line.fault ?? stop.fault }));
  return lines;
}

export const lineKey = (file: string, cell: number, line: number): string => `${cell} ${line} ${file}`;

/** The key of the line that a row of `sites` is on. */
export function keyOf({ sites, cells }: Recording, site: number): string {
  return lineKey(sites.file[site], cells.number[sites.cell[site]] ?? -1, sites.line[site]);
}

/** Which line of which file or cell. */
type At = Pick<LineActivity, "file" | "cell" | "line">;

const BLANK = {
  forward: 0,
  backward: 0,
  forwardTime: 0,
  backwardTime: 0,
  bytes: 0,
  events: [],
  health: null,
  fault: null,
  lost: [],
};

function siteAt({ sites, cells }: Recording, site: number): At | null {
  if (site < 0 || site >= sites.rows) return null;
  return { file: sites.file[site], cell: cells.number[sites.cell[site]] ?? -1, line: sites.line[site] };
}

/** What ended the recording, when that was an error: its line is known even when no op raised it. */
function stopped(recording: Recording): { at: At; fault: Fault } | null {
  const { cells } = recording;
  const found = meta<{ event?: number; line?: number; type?: string; text?: string }>(recording, "stopped");
  const taped = cells.rows === 1 ? 0 : cells.number.indexOf(meta<number>(recording, "cell") ?? -1);
  if (typeof found?.line !== "number" || taped < 0) return null;
  const at = { file: cells.file[taped], cell: cells.number[taped], line: found.line };
  return { at, fault: { event: -1, type: found.type ?? "stopped", text: found.text ?? "" } };
}

const gravest = (found: readonly (Health | null)[]): Health | null =>
  found.reduce((a, b) => (b !== null && (a === null || RANK.indexOf(b) > RANK.indexOf(a)) ? b : a), null);

/** The health of the gradients of what a forward op made; null when there are none, or when nobody has judged them. */
function healthOf(recording: Recording, event: number): Health | null {
  const facts = factsOf(recording);
  const { stats } = recording;
  if (facts.isBackward(event)) return null;
  const judgements = judgementsOf(recording);
  const fine = lookedFor(recording) === null ? null : "ok";
  const found = Array.from(facts.outputs(event), (tensor): Health | null => {
    const row = facts.stat(facts.gradient(tensor));
    if (row < 0) return null;
    if (stats.nan[row] + stats.posinf[row] + stats.neginf[row] > 0) return "nan";
    if (stats.norm[row] === 0) return "zero";
    const judged = judgements.ofGradient(facts.gradient(tensor))?.health;
    return judged === "vanishing" || judged === "exploding" ? judged : judged === "unknown" ? null : fine;
  });
  return gravest(found);
}

const VERDICTS: Readonly<Record<string, Health>> = {
  gradient_none: "none",
  vanishing: "vanishing",
  exploding: "exploding",
  nonfinite: "nan",
};

/** The sites of findings about gradients, and of what was asked for and is None. */
function lostAt(recording: Recording): [site: number, health: Health][] {
  const { verdicts, requests, variables } = recording;
  const facts = factsOf(recording);
  const found: [number, Health][] = [];
  for (let row = 0; row < verdicts.rows; row++) {
    const health = VERDICTS[verdicts.kind[row]];
    if (health) found.push([verdicts.site[row], health]);
  }
  for (let row = 0; row < requests.rows; row++) {
    if (requests.gradient[row] >= 0) continue;
    const producer = facts.producer(requests.source[row]);
    const variable = variables.id.indexOf(requests.variable[row]);
    found.push([
      producer >= 0 ? (facts.location(producer)?.site ?? -1) : variable >= 0 ? variables.site[variable] : -1,
      "none",
    ]);
  }
  return found;
}

/** The ops that failed, with what they said. */
function faults(recording: Recording): [site: number, fault: Fault][] {
  const { events, messages } = recording;
  const facts = factsOf(recording);
  const found: [number, Fault][] = [];
  for (let row = events.status.indexOf(STATUS.failed); row >= 0; row = events.status.indexOf(STATUS.failed, row + 1)) {
    const event = events.id[row];
    const message = messages.event.lastIndexOf(event);
    if (facts.isSpan(event) && message < 0) continue;
    const [type, text] = message < 0 ? ["failed", ""] : [messages.type[message], messages.text[message]];
    found.push([facts.location(event)?.site ?? -1, { event, type, text }]);
  }
  return found;
}
