// A recording: one property for each table of the schema.

import { RowChecks, type Fault } from "./checks";
import { checkMagic, MAGIC, readFrames, type Frame } from "./codec";
import { GrowableTable } from "./growable";
import { MemoryBudget } from "./limits";
import { SCHEMA, type TableInit, type Tables } from "./tables.gen";

const NAMES = Object.keys(SCHEMA) as (keyof Tables)[];

// The properties of Tables are set by `publish`, one for each table of the schema.
/* eslint-disable @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type --
   the class has what the interface says, by name, and nothing else could say it once */
export interface Recording extends Tables {}

export class Recording {
  /* eslint-enable */
  /** What is wrong with the bytes or the rows read, in one line; null when nothing is. The rest is here all the same. */
  problem: string | null = null;
  /** Counts up with each append: what was computed from an earlier version may miss rows. */
  version = 0;
  private readonly growables = new Map<keyof Tables, GrowableTable>();
  private readonly added = new Set<keyof Tables>();
  private frames = 0;
  private damage: string | null = null;
  private faults: Fault[] = [];
  private readonly budget = new MemoryBudget();
  private appending: Promise<void> = Promise.resolve();

  private constructor(private readonly checks: RowChecks | null = null) {
    for (const name of NAMES) {
      this.growables.set(name, new GrowableTable(name));
    }
    this.publish();
  }

  /** A recording of rows given by hand, for fixtures and tests. A column left out holds its none. */
  static fromTables(tables: Partial<TableInit>): Recording {
    const recording = new Recording();
    for (const name of NAMES) {
      const columns = tables[name] as Record<string, ArrayLike<unknown>> | undefined;
      if (columns) recording.add(name, rowsOf(name, columns), columns);
    }
    recording.publish();
    return recording;
  }

  /**
   * Reads a recording from the bytes of a file or a message. One that was cut off opens up to its last whole frame and
   * a damaged one up to the damage, and one with malformed rows without what is wrong in them; `problem` then says so.
   * Bytes that are no recording at all throw a `FormatError`.
   */
  static open(bytes: Uint8Array): Promise<Recording> {
    return Recording.begun(bytes, new RowChecks());
  }

  /** The same with the rows as they are in the bytes, malformed or not; a column that does not decode is none. */
  static openUnchecked(bytes: Uint8Array): Promise<Recording> {
    return Recording.begun(bytes, null);
  }

  private static async begun(bytes: Uint8Array, checks: RowChecks | null): Promise<Recording> {
    checkMagic(bytes);
    const recording = new Recording(checks);
    await recording.read(bytes, MAGIC.length);
    return recording;
  }

  /**
   * Adds the rows of further frames, with or without the first bytes of a file before them. Calls may overlap: frames
   * are added in the order of the calls. Rows may point to those that came before or with them. Tables taken out before
   * stay as they are. After damage nothing is added.
   */
  append(bytes: Uint8Array): Promise<void> {
    const start = MAGIC.every((byte, i) => bytes[i] === byte) ? MAGIC.length : 0;
    this.appending = this.appending.then(() => this.read(bytes, start));
    return this.appending;
  }

  /** The text in row `i` of strings; empty for -1 and for a row that is not there. */
  text(i: number): string {
    return this.strings.text[i] ?? "";
  }

  private async read(bytes: Uint8Array, at: number): Promise<void> {
    if (this.damage !== null) return;
    this.budget.grow(bytes.length);
    const first = new Map(NAMES.map((name) => [name, this[name].rows]));
    this.damage = await readFrames(bytes, at, this.frames, this.budget, (frame) => this.take(frame));
    this.publish();
    this.checks?.check(this, first, this.faults);
    this.faults = [];
    this.problem = this.damage ?? this.checks?.problem ?? null;
    this.version += 1;
  }

  private take(frame: Frame): void {
    this.frames += 1;
    for (const name of NAMES) {
      const chunk = frame.get(name);
      if (!chunk) continue;
      const first = this.growables.get(name)!.length;
      for (const [column, text] of chunk.faults) {
        this.faults.push({ table: name, column, first, rows: chunk.rows, text });
      }
      this.add(name, chunk.rows, chunk.columns);
    }
  }

  private add(name: keyof Tables, rows: number, columns: Readonly<Record<string, ArrayLike<unknown>>>): void {
    this.growables.get(name)?.append(rows, columns);
    this.added.add(name);
  }

  /** Hands out the tables with what was added to them. */
  private publish(): void {
    for (const [name, table] of this.growables)
      if (this.added.has(name) || !(name in this)) (this as Record<string, unknown>)[name] = table.view();
    this.added.clear();
  }
}

function rowsOf(name: string, columns: Readonly<Record<string, ArrayLike<unknown>>>): number {
  const lengths = new Set(Object.values(columns).map((cells) => cells.length));
  if (lengths.size > 1) throw new Error(`${name}: columns of different lengths: ${[...lengths].join(", ")}`);
  return [...lengths][0] ?? 0;
}
