import { s } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { factsOf, type Facts } from "../facts";
import { layeredLayout, type GraphLayout } from "../layered/layout";
import { curvePath } from "../layered/curves";
import { label, shortName, type Entry } from "./tapetable";
import type { Values } from "./values";
import { adjointsAt, type Step } from "./walk";

/** So many ops are drawn: the ones before and after the step. */
const MOST = 26;
const HEIGHT = 26;
const LETTER = 6.9;

interface Drawn {
  readonly entries: readonly Entry[];
  readonly edges: readonly { readonly from: number; readonly to: number; readonly weight: number }[];
  readonly width: readonly number[];
  readonly layout: GraphLayout;
}

/** The part of the graph around a step; it is laid out whole, so that what is there stays where it is. */
export class GraphSoFar {
  #drawn: { readonly key: string; readonly drawn: Drawn } | null = null;

  constructor(
    private readonly recording: Recording,
    private readonly steps: readonly Step[],
    private readonly entries: readonly Entry[],
    private readonly values: Values,
  ) {}

  /** What has run by a step, and which way gradients have gone. */
  draw(at: number): SVGSVGElement {
    const step = this.steps[at];
    const { entries, edges, width, layout } = this.#around(step);
    const facts = factsOf(this.recording);
    const adjoints = adjointsAt(this.steps, at);
    const isThere = (i: number): boolean => entries[i].since <= at;
    const lines = edges.flatMap(({ from, to }, i) => {
      if (!isThere(to)) return [];
      const isBack =
        step.kind === "backward" && entries[to].tensor === step.out && entries[from].tensor === step.subject;
      const isForward = step.kind === "forward" && entries[to].tensor === step.result;
      const look = isBack ? "tvw-edge tvw-back" : isForward ? "tvw-edge tvw-here" : "tvw-edge";
      return [s("path", { d: pathOf(layout.routes[i]), class: look })];
    });
    const boxes = entries.flatMap(({ tensor, step: made, op }, i) => {
      if (!isThere(i)) return [];
      const marks = [
        made < 0 ? "tvw-source" : "",
        tensor === step.subject ? "tvw-now" : "",
        adjoints.has(tensor) ? "tvw-has" : "",
      ];
      const label = labelOf(facts, this.values, tensor, op);
      const box = s("g", {
        class: `tvw-node ${marks.join(" ")}`,
        transform: `translate(${layout.x[i]} ${layout.y[i]})`,
      });
      box.append(
        s("rect", { width: width[i], height: HEIGHT, rx: made < 0 ? 13 : 5 }),
        s("text", { x: width[i] / 2, y: 17 }, label),
        s("title", {}, `${facts.name(tensor)}${op ? ` = ${op}` : ""}`),
      );
      if (adjoints.has(tensor)) box.append(s("text", { x: width[i] - 3, y: 0, class: "tvw-badge" }, "∇"));
      return [box];
    });
    const [w, hh] = [layout.width + 20, layout.height + 24];
    const picture = s("svg", {
      viewBox: `-10 -14 ${w} ${hh}`,
      class: "tvw-graph",
      role: "img",
      "aria-label": "The graph so far",
    });
    picture.style.setProperty("--tvw-width", `${w}px`);
    picture.append(...lines, ...boxes);
    return picture;
  }

  #around(step: Step): Drawn {
    const ops = this.entries.filter(({ step: made }) => made >= 0);
    const about = Math.max(
      0,
      ops.findIndex(({ tensor }) => tensor === (step.kind === "backward" ? step.out : step.subject)),
    );
    const from = Math.max(0, Math.min(about - MOST / 2, ops.length - MOST));
    const key = ops.length <= MOST ? "all" : String(Math.floor(from / (MOST / 4)));
    if (this.#drawn?.key === key) return this.#drawn.drawn;
    const shown = ops.slice(ops.length <= MOST ? 0 : Number(key) * (MOST / 4)).slice(0, MOST);
    const drawn = layOut(this.recording, this.values, shown);
    this.#drawn = { key, drawn };
    return drawn;
  }
}

function layOut(recording: Recording, values: Values, ops: readonly Entry[]): Drawn {
  const facts = factsOf(recording);
  const made = new Set(ops.map(({ tensor }) => tensor));
  const entries: Entry[] = [];
  const placeOf = new Map<number, number>();
  const put = (entry: Entry): void => void placeOf.set(entry.tensor, entries.push(entry) - 1);
  const edges: { from: number; to: number; weight: number }[] = [];
  for (const op of ops) {
    for (const input of op.inputs)
      if (!placeOf.has(input) && !made.has(input)) put({ tensor: input, step: -1, since: op.step, op: "", inputs: [] });
    put(op);
    const to = entries.length - 1;
    for (const input of new Set(op.inputs)) {
      const from = placeOf.get(input);
      if (from !== undefined && from !== to) edges.push({ from, to, weight: entries[from].step < 0 ? 1 : 4 });
    }
  }
  const width = entries.map(({ tensor, op }) => 16 + LETTER * labelOf(facts, values, tensor, op).length);
  const layout = layeredLayout({
    width,
    height: width.map(() => HEIGHT),
    edges,
    leaf: (box) => entries[box].step < 0,
    spacing: { column: 26, row: 12, edge: 8 },
  });
  return { entries, edges, width, layout };
}

/** "h: tanh" for what has a name, the op alone for what has none. */
function labelOf(facts: Facts, values: Values, tensor: number, op: string): string {
  const text =
    op === "" ? label(facts, values, tensor) : facts.isNamed(tensor) ? `${shortName(facts.name(tensor))} = ${op}` : op;
  return text.length > 22 ? `…${text.slice(-21)}` : text;
}

function pathOf(points: readonly number[]): string {
  const commands: string[] = [];
  const pen = {
    moveTo: (x: number, y: number) => void commands.push(`M${x} ${y}`),
    lineTo: (x: number, y: number) => void commands.push(`L${x} ${y}`),
    bezierCurveTo: (...p: number[]) => void commands.push(`C${p.join(" ")}`),
  };
  curvePath(pen as unknown as Path2D, points);
  return commands.join("");
}
