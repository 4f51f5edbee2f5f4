// Questions about the rows of a difference. Pure.
import type { DiffRow } from "./data";

/** What a row is, as a sign and in a word: colour never stands alone. */
export type State = "own" | "inherited" | "rounding" | "equal" | "unknown";

export const SIGNS: Readonly<Record<State, readonly [sign: string, title: string]>> = {
  own: ["▲", "differs by itself"],
  inherited: ["│", "inherits a difference"],
  rounding: ["≈", "differs within rounding"],
  equal: ["", "equal"],
  unknown: ["?", "not kept to compare"],
};

export function stateOf(row: DiffRow): State {
  if (row.material) return row.cause >= 0 ? "inherited" : "own";
  if (row.what === "equal") return "equal";
  return row.what === "not_kept" || row.what === "fused" ? "unknown" : "rounding";
}

/** Finds rows by what is selected in one of the two recordings. */
export class RowIndex {
  readonly #byEvent: readonly [Map<number, number>, Map<number, number>] = [new Map(), new Map()];
  readonly #byTensor: readonly [Map<number, number>, Map<number, number>] = [new Map(), new Map()];

  constructor(readonly rows: readonly DiffRow[]) {
    rows.forEach((row, at) => {
      for (const side of [0, 1] as const) {
        if (row.events[side] >= 0 && !this.#byEvent[side].has(row.events[side]))
          this.#byEvent[side].set(row.events[side], at);
        if (row.tensors[side] >= 0 && !this.#byTensor[side].has(row.tensors[side]))
          this.#byTensor[side].set(row.tensors[side], at);
      }
    });
  }

  /** Where in the list the row of an event, or of a tensor that came in, is; -1 where none is. */
  of(side: 0 | 1, event: number, tensor: number): number {
    return this.#byEvent[side].get(event) ?? (event < 0 ? this.#byTensor[side].get(tensor) : undefined) ?? -1;
  }

  /** The next row that differs more than rounding explains, from a place on; -1 where there is none. */
  next(from: number, step: 1 | -1, wanted: (row: DiffRow) => boolean): number {
    for (let at = from + step; at >= 0 && at < this.rows.length; at += step) if (wanted(this.rows[at])) return at;
    return -1;
  }

  /** For a row without a partner the event before it that has one on that side, or the first after it; -1 for none. */
  beside(at: number, side: 0 | 1): number {
    const has = (row: DiffRow): boolean => row.events[side] >= 0;
    const found = [this.next(at, -1, has), this.next(at, 1, has)].find((row) => row >= 0);
    return found === undefined ? -1 : this.rows[found].events[side];
  }

  /** The events of one side that differ more than rounding explains. */
  differing(side: 0 | 1): Set<number> {
    return new Set(this.rows.filter(({ material }) => material).map(({ events }) => events[side]));
  }
}
