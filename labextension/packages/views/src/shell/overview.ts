import { breakable, cividis, familyIcon, familyOf, format, h, on, type Family } from "@tapeviz/core";
import { KIND, linesOf, opTimesOf, type Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";
import { glyphText, magnitudeOf, type Magnitude } from "../figures";
import { familyOfTensor } from "../tensor/subject";
import type { ViewContext } from "../view";
import { withMore } from "./more";

const MOST = 8;
const LARGEST = 200;

interface Kind {
  readonly op: number;
  count: number;
  busy: number;
}

/** The ops that took the longest, all runs of one together; a pause of the garbage collector is no op's time. */
export function timeByOp(recording: Recording): Kind[] {
  const { events } = recording;
  const times = opTimesOf(recording);
  const kinds = new Map<number, Kind>();
  for (let row = 0; row < events.rows; row++) {
    if (events.kind[row] !== KIND.op || events.op[row] < 0) continue;
    let kind = kinds.get(events.op[row]);
    if (!kind) kinds.set(events.op[row], (kind = { op: events.op[row], count: 0, busy: 0 }));
    kind.count += 1;
    kind.busy += times[row];
  }
  return [...kinds.values()].sort((a, b) => b.busy - a.busy);
}

/** The latest gradient of each source that was asked for, None first, then the smallest. */
export function gradientsBySize({ requests }: Recording, of: (gradient: number) => Magnitude): [number, Magnitude][] {
  const latest = new Map<number, [number, Magnitude]>();
  requests.source.forEach((source, row) => {
    const { variable } = requests;
    const key = variable[row] >= 0 ? -1 - variable[row] : source;
    latest.set(key, [source, of(requests.gradient[row])]);
  });
  const rank = ({ state, norm }: Magnitude): number => (state === "none" ? -1 : Number.isNaN(norm) ? Infinity : norm);
  return [...latest.values()].sort((a, b) => rank(a[1]) - rank(b[1]));
}

/** What the inspector shows while nothing is selected: what goes with the view beside it. */
export function overview(context: ViewContext, view: string): HTMLElement[] {
  const about = { flow: smallGradients, tensor: largeTensors, code: longLines }[view] ?? longOps;
  const { title, sentence, entries } = about(context);
  const hint = "Select an op to see its formula, inputs, outputs, gradient and line. Press ? for the keys.";
  return [
    h("div", { class: "tv-inspector-head" }, h("h3", {}, title), h("p", { class: "tv-muted" }, sentence)),
    h("ol", { class: "tv-shares" }, ...withMore(entries, MOST, true)),
    h("p", { class: "tv-muted tv-hint" }, hint),
  ];
}

interface About {
  readonly title: string;
  readonly sentence: string;
  readonly entries: (() => HTMLElement)[];
}

function longOps({ recording }: ViewContext): About {
  const kinds = timeByOp(recording);
  const total = kinds.reduce((sum, kind) => sum + kind.busy, 0);
  return {
    title: "Where the time went",
    sentence: kinds.length > 0 ? `${format.duration(total)} in ops, forward and backward` : "No op ran by itself",
    entries: kinds.map(({ op, count, busy }) => () => {
      const family = familyOf(recording.ops.family[op] ?? "");
      const figures = [`×${format.count(count)}`, format.percent(busy / (total || 1))] as const;
      return entry(family, recording.ops.name[op], figures, busy / (kinds[0].busy || 1), family.color);
    }),
  };
}

function longLines({ recording, selection }: ViewContext): About {
  const lines = [...linesOf(recording)]
    .map((line) => ({ ...line, busy: line.forwardTime + line.backwardTime }))
    .sort((a, b) => b.busy - a.busy);
  const total = lines.reduce((sum, { busy }) => sum + busy, 0);
  return {
    title: "Which lines took the time",
    sentence: lines.length > 0 ? `${format.duration(total)}, with their backward steps` : "No line ran an op",
    entries: lines.map(({ line, busy, events, file, cell }) => () => {
      const where = cell >= 0 ? `cell ${cell}, line ${line}` : `${file.split(/[\\/]/).at(-1)}, line ${line}`;
      const figures = [format.duration(busy), format.percent(busy / (total || 1))] as const;
      const go = (): void => selection.select({ event: events[0] ?? -1 });
      return entry(null, where, figures, busy / (lines[0].busy || 1), "var(--tv-accent)", go);
    }),
  };
}

function smallGradients({ recording, selection }: ViewContext): About {
  const facts = factsOf(recording);
  const found = gradientsBySize(recording, (gradient) => magnitudeOf(facts, gradient));
  const logs = found.flatMap(([, { norm }]) => (norm > 0 && Number.isFinite(norm) ? [Math.log10(norm)] : []));
  const [least, most] = [logs.reduce((a, b) => Math.min(a, b), 0) - 1, logs.reduce((a, b) => Math.max(a, b), 0)];
  return {
    title: "Smallest gradients",
    sentence:
      found.length > 0
        ? `of ${format.plural(found.length, "source")}, the latest of each, by their norms`
        : "No gradient was asked for",
    entries: found.map(([tensor, size]) => () => {
      const part = size.norm > 0 ? (Math.log10(size.norm) - least) / (most - least || 1) : 0;
      const figures = [format.shape(facts.shape(tensor)), glyphText(size)] as const;
      const go = (): void => selection.select({ tensor });
      return entry(familyOfTensor(recording, tensor), facts.name(tensor), figures, part, cividis(part), go);
    }),
  };
}

function largeTensors({ recording, selection }: ViewContext): About {
  const facts = factsOf(recording);
  const { id, nbytes } = recording.tensors;
  const rows = largest(nbytes, LARGEST);
  return {
    title: "Largest tensors",
    sentence: `of ${format.plural(id.length, "tensor")}`,
    entries: rows.map((row) => () => {
      const tensor = id[row];
      const family = familyOfTensor(recording, tensor);
      const figures = [format.shape(facts.shape(tensor)), format.bytes(nbytes[row])] as const;
      const go = (): void => selection.select({ tensor });
      return entry(family, facts.name(tensor), figures, nbytes[row] / (nbytes[rows[0]] || 1), family.color, go);
    }),
  };
}

/** The places of the largest numbers, largest first: of a million only these are put in order. */
export function largest(numbers: ArrayLike<number>, most: number): number[] {
  const sorted = Float64Array.from(numbers).sort();
  const least = sorted[Math.max(0, sorted.length - most)];
  const rows: number[] = [];
  for (let row = 0; row < numbers.length; row++) if (numbers[row] >= least) rows.push(row);
  return rows.sort((a, b) => numbers[b] - numbers[a]).slice(0, most);
}

/** A name, two figures, and a bar. */
function entry(
  family: Family | null,
  name: string,
  [first, second]: readonly [string, string],
  part: number,
  color: string,
  go?: () => void,
): HTMLElement {
  const label = go ? h("button", { type: "button" }, ...breakable(name)) : h("span", {}, ...breakable(name));
  if (go) on(label, "click", go);
  return h(
    "li",
    { class: go && "tv-share-long" },
    h("span", { class: "tv-share-name" }, family && familyIcon(family), label),
    h("span", { class: "tv-muted" }, first),
    h("span", {}, second),
    h(
      "span",
      { class: "tv-share", "aria-hidden": "true" },
      h("i", { style: `width:${100 * part}%;background:${color}` }),
    ),
  );
}
