// How much memory a recording may take, checked before it is taken: the twin of limits.py.

import { FormatError } from "./errors";
import { SCHEMA } from "./tables.gen";

/** Bytes of a frame's header: parsed, it takes a hundred times as much. */
export const MAX_HEADER = 2 ** 20;
const SLACK = 2 ** 26;
const RATIO = 256;
const TOTAL = 2 ** 31;
const TOTAL_RATIO = 4;
const WIDTHS: Readonly<Record<string, number>> = { u1: 1, u2: 2, i4: 4, f4: 4, f8: 8 };
const ITEM = 64;
const SHARED_ITEM = 8;

/** What reading a recording may take in all: so much for each byte of it, and never more than a page can have. */
export class MemoryBudget {
  #size = 0;
  #taken = 0;

  /** Counts bytes that have come to be read. */
  grow(size: number): void {
    this.#size += size;
  }

  /** Counts what is about to be taken; throws when it is more than a recording of this size may take. */
  take(size: number): void {
    this.#taken += size;
    const allowed = Math.min(SLACK + RATIO * this.#size, Math.max(TOTAL, TOTAL_RATIO * this.#size));
    if (this.#taken > allowed) {
      const bytes = allowed.toLocaleString("en-US");
      throw new FormatError(`it would take more than ${bytes} bytes of memory, which no recording of its size does`);
    }
  }

  /** Counts a table's columns: those that are there, and those of the schema that are to be filled in. */
  takeTable(name: string, rows: number, types: ReadonlyMap<string, string>): void {
    const columns = Object.hasOwn(SCHEMA, name) ? SCHEMA[name as keyof typeof SCHEMA] : [];
    let width = 0;
    for (const type of types.values()) width += WIDTHS[type] ?? ITEM;
    for (const [column, type] of columns) if (!types.has(column)) width += WIDTHS[type] ?? SHARED_ITEM;
    this.take(rows * width);
  }
}
