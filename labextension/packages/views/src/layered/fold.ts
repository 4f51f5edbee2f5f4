import { repeats, titleOfRepeat, withoutNumbers } from "./repeats";

/** What stands for many nodes while it is closed, before it has a key. Nodes are numbers. */
export interface GroupDraft {
  readonly title: string;
  readonly kind: string;
  /** What it was made for, such as the event of a span; absent for what folding made. */
  readonly own?: number;
  /** How many blocks a repeat has; 1 for others. */
  readonly times: number;
  readonly items: readonly (number | GroupDraft)[];
}

/** A group with its key. Nodes inside branches and bodies of its nodes are not in it. */
export interface FoldedGroup<Group> {
  /** The titles of the groups around it and its own: the same in every run of the same code. */
  readonly key: string;
  readonly title: string;
  readonly kind: string;
  /** How many blocks a repeat has; 1 for others. */
  readonly times: number;
  readonly items: readonly (number | Group)[];
  /** How many nodes it holds. */
  readonly size: number;
}

/** What folding tells nodes apart by: the op, and the line of the user's it stands on ("" where that is not known). */
export interface NodeInfo {
  readonly op: (node: number) => string;
  readonly line: (node: number) => string;
}

/** The most items side by side before runs of them are gathered. */
export const MAX_SIBLINGS = 40;

/** Shortens long lists of nodes and groups: blocks that repeat become one, then neighbours on one line, then equal parts. */
export class GroupFolder {
  readonly #numbers = new Map<string, number>();
  readonly #signs = new Map<GroupDraft, number>();

  constructor(private readonly info: NodeInfo) {}

  /**
   * What is inside a group once it is shortened. It always ends: what this makes of a list is shorter than the list, or
   * holds it as blocks or as a run, of which only smaller parts are made.
   */
  fold({ kind, items }: GroupDraft): readonly (number | GroupDraft)[] {
    if (items.length <= MAX_SIBLINGS && (kind === "repeat" || kind === "run")) return items;
    if (kind === "repeat" || kind === "run") return this.#parts(items, kind === "repeat");
    const folded = this.#repeats(items);
    if (folded.length <= MAX_SIBLINGS) return folded;
    const lines = this.#lines(folded);
    if (lines.length === 1) return this.#parts(folded);
    return lines.length <= MAX_SIBLINGS ? lines : this.#parts(lines);
  }

  #repeats(items: readonly (number | GroupDraft)[]): (number | GroupDraft)[] {
    const signs = Int32Array.from(items, (item) => this.#sign(item));
    let folded: (number | GroupDraft)[] = [];
    let at = 0;
    for (const { start, period, times } of repeats(signs, (i) => typeof items[i] !== "number")) {
      folded = folded.concat(items.slice(at, start));
      const part = (n: number): readonly (number | GroupDraft)[] =>
        items.slice(start + n * period, start + (n + 1) * period);
      const blocks = Array.from({ length: times }, (_, n) => this.#block(part(n), n, times));
      const { title, own } = blocks[0];
      folded.push({
        title: titleOfRepeat(title),
        kind: "repeat",
        own,
        times,
        items: blocks,
      });
      at = start + period * times;
    }
    return folded.concat(items.slice(at));
  }

  /** One of the blocks that repeat: the group itself, or a new one around its ops. */
  #block(items: readonly (number | GroupDraft)[], n: number, times: number): GroupDraft {
    const [first] = items;
    if (items.length === 1 && typeof first !== "number") return first;
    const title = `${this.#line(first) || "block"}: ${n + 1} of ${times}`;
    return { title, kind: "block", times: 1, items };
  }

  #lines(items: readonly (number | GroupDraft)[]): (number | GroupDraft)[] {
    const runs: (number | GroupDraft)[][] = [];
    let before = "";
    for (const item of items) {
      const line = this.#line(item);
      if (line !== "" && line === before) runs.at(-1)!.push(item);
      else runs.push([item]);
      before = line;
    }
    return runs.flatMap((run) => (run.length < 3 ? run : [this.#run(run, this.#line(run[0]))]));
  }

  /** Equal parts: of blocks that repeat it says which, of other things only which part. */
  #parts(items: readonly (number | GroupDraft)[], isCounted = false): (number | GroupDraft)[] {
    const count = Math.min(24, Math.ceil(Math.sqrt(items.length)));
    const size = Math.ceil(items.length / count);
    return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => {
      const part = items.slice(n * size, (n + 1) * size);
      const from = n * size + 1;
      const which = `${from} to ${from + part.length - 1} of ${items.length}`;
      return this.#run(part, isCounted ? which : `part ${n + 1}`);
    });
  }

  #run(items: readonly (number | GroupDraft)[], title: string): GroupDraft {
    return { title, kind: "run", times: 1, items };
  }

  /** The line that something stands on: blocks that repeat stand on their nodes', if that is one; scopes on none. */
  #line(item: number | GroupDraft): string {
    if (typeof item === "number") return this.info.line(item);
    if (item.kind !== "repeat" && item.kind !== "block") return "";
    const [first, ...others] = item.items.map((inner) => this.#line(inner));
    return others.every((line) => line === first) ? first : "";
  }

  /** Equal numbers for what looks the same: the same op on the same line, a group of the same name and contents. */
  #sign(item: number | GroupDraft): number {
    if (typeof item === "number") return this.#number(`${this.info.op(item)}@${this.info.line(item)}`);
    const known = this.#signs.get(item);
    if (known !== undefined) return known;
    const inner = item.items.map((i) => this.#sign(i)).join(",");
    const sign = this.#number(`${item.kind}:${withoutNumbers(item.title)}(${inner})`);
    this.#signs.set(item, sign);
    return sign;
  }

  #number(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}

/** A draft with its key, and its items by `seal`, which is given theirs; with a folder long lists are folded first. */
export function folded<Group extends FoldedGroup<Group>>(
  draft: GroupDraft,
  key: string,
  folder: GroupFolder | null,
  seal: (item: GroupDraft, key: string) => Group,
): FoldedGroup<Group> {
  const before = new Map<string, number>();
  const items = (folder ? folder.fold(draft) : draft.items).map((item) => {
    if (typeof item === "number") return item;
    const same = before.get(item.title) ?? 0;
    before.set(item.title, same + 1);
    return seal(item, `${key}/${item.title}${same > 0 ? `#${same + 1}` : ""}`);
  });
  const size = items.reduce<number>((n, item) => n + (typeof item === "number" ? 1 : item.size), 0);
  const { title, kind, times } = draft;
  return { key, title, kind, times, items, size };
}
