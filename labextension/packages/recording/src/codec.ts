// Frames: the twin of codec.py; docs/format.md describes each byte. Nothing is allocated before its size was checked.

import { crc32 } from "./checksum";
import { convertCells, decodeCells, encodedSize, isNumberType, type Spec } from "./encodings";
import { FormatError } from "./errors";
import type { Cells } from "./growable";
import { MAX_HEADER, type MemoryBudget } from "./limits";
import { SCHEMA, type ColumnType } from "./tables.gen";

export const MAGIC = Uint8Array.of(0x93, 0x54, 0x41, 0x50, 0x45, 0x31, 0x0d, 0x0a);

const MAX_BYTES = 2 ** 28;
const MAX_ROWS = 2 ** 22;
const MAX_CELLS = 2 ** 26;
const HEAD_SIZE = 24;
const MARK = 0x4d415246; // "FRAM"

/** The rows of one table in one frame: its columns by name. */
export interface Chunk {
  readonly rows: number;
  readonly columns: Readonly<Record<string, Cells>>;
  /** Columns whose bytes give no cells, and why. */
  readonly faults: ReadonlyMap<string, string>;
}

export type Frame = ReadonlyMap<string, Chunk>;

/** Refuses bytes that do not begin as a recording does. */
export function checkMagic(bytes: Uint8Array): void {
  const start = bytes.subarray(0, MAGIC.length);
  if (start.length === 0) throw new FormatError("not a recording: it is empty");
  const differs = start.findIndex((byte, i) => byte !== MAGIC[i]);
  if (differs < 0 && start.length < MAGIC.length) {
    throw new FormatError(`cut off before the first frame: only ${start.length} bytes are there`);
  }
  if (differs < 0) return;
  const isVersion = differs === 5 && start[6] === MAGIC[6] && start[7] === MAGIC[7];
  if (isVersion) {
    const version = String.fromCharCode(start[5]);
    throw new FormatError(`made by a newer tapeviz: format '${version}', this one reads '1'`);
  }
  throw new FormatError("not a recording: it begins with other bytes than one does");
}

/**
 * The frames in `bytes` one by one from `at` on, and a line that says what is wrong, null when nothing is. Nothing
 * behind a damaged frame is read: rows are known by their position, so what follows would point to wrong rows.
 */
export async function readFrames(
  bytes: Uint8Array,
  at: number,
  done: number,
  budget: MemoryBudget,
  take: (frame: Frame) => void,
): Promise<string | null> {
  while (at < bytes.length) {
    try {
      const rest = bytes.subarray(at);
      const size = rest.length < HEAD_SIZE ? Infinity : frameSize(rest);
      if (size > rest.length) {
        return `cut off after frame ${done}: only ${grouped(rest.length)} bytes of the next are there`;
      }
      take(await decodeFrame(rest.subarray(0, size), budget));
      at += size;
      done += 1;
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      return `damaged after frame ${done}, at byte ${grouped(at)}: ${error.message}`;
    }
  }
  return null;
}

interface Head {
  readonly packed: number;
  readonly inflated: number;
  readonly plain: number;
  readonly checksum: number;
}

function frameSize(frame: Uint8Array): number {
  const { packed, plain } = readHead(frame);
  return HEAD_SIZE + packed + plain;
}

function readHead(frame: Uint8Array): Head {
  const view = new DataView(frame.buffer, frame.byteOffset, HEAD_SIZE);
  if (crc32(frame.subarray(0, HEAD_SIZE - 4)) !== view.getUint32(HEAD_SIZE - 4, true)) {
    throw new FormatError("its head's checksum is wrong");
  }
  if (view.getUint32(0, true) !== MARK) throw new FormatError("its head begins with other bytes than one does");
  const [packed, inflated, plain, checksum] = [4, 8, 12, 16].map((at) => view.getUint32(at, true)) as [
    number,
    number,
    number,
    number,
  ];
  const largest = Math.max(packed, inflated, plain);
  if (largest > MAX_BYTES) throw new FormatError(`it is larger than a frame may be: ${grouped(largest)} bytes`);
  return { packed, inflated, plain, checksum };
}

async function decodeFrame(frame: Uint8Array, budget: MemoryBudget): Promise<Frame> {
  const { packed, inflated, checksum } = readHead(frame);
  const parts = frame.subarray(HEAD_SIZE);
  if (crc32(parts) !== checksum) throw new FormatError("its checksum is wrong");
  budget.take(inflated);
  const body = await inflate(parts.subarray(0, packed), inflated);
  if (body.length < 4) throw new FormatError("its header is longer than the frame");
  const length = new DataView(body.buffer).getUint32(0, true);
  if (body.length < 4 + length) throw new FormatError("its header is longer than the frame");
  if (length > MAX_HEADER) throw new FormatError(`its header is longer than one may be: ${grouped(length)} bytes`);
  const header = parseHeader(body.subarray(4, 4 + length));
  return new Sections(body.subarray(4 + length), parts.subarray(packed), budget).tables(header);
}

function parseHeader(text: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text));
  } catch (error) {
    throw new FormatError(`its header is no JSON: ${oneLine(error)}`);
  }
}

async function inflate(packed: Uint8Array, size: number): Promise<Uint8Array> {
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter();
  // What goes wrong here comes out at the reading end as well.
  const written = Promise.all([writer.write(packed as Uint8Array<ArrayBuffer>), writer.close()]).catch(() => undefined);
  const reader = stream.readable.getReader();
  const body = new Uint8Array(size);
  let filled = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (filled + value.length > size) throw new FormatError("it does not inflate to the size announced");
      body.set(value, filled);
      filled += value.length;
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    throw error instanceof FormatError ? error : new FormatError(`it does not inflate: ${oneLine(error)}`);
  }
  await written;
  if (filled !== size) throw new FormatError("it does not inflate to the size announced");
  return body;
}

/** The two parts of a frame while its columns are cut from them, one after the other. */
class Sections {
  private cells = 0;

  constructor(
    private packed: Uint8Array,
    private plain: Uint8Array,
    private readonly budget: MemoryBudget,
  ) {}

  tables(header: unknown): Frame {
    const tables = new Map<string, Chunk>();
    for (const table of list(header, "tables")) {
      const name = text(table, "name");
      const { rows } = table as { rows: unknown };
      const columns = list(table, "columns");
      if (typeof rows !== "number" || !Number.isInteger(rows) || rows <= 0 || rows > MAX_ROWS) {
        throw new FormatError(`${name}: rows is ${String(rows)}`);
      }
      if (tables.has(name)) throw new FormatError(`${name} is there twice`);
      this.cells += rows * columns.length;
      if (this.cells > MAX_CELLS) throw new FormatError(`it has more than ${grouped(MAX_CELLS)} cells`);
      tables.set(name, { rows, ...this.columns(name, rows, columns) });
    }
    if (this.packed.length || this.plain.length) throw new FormatError("it has bytes that belong to no column");
    return tables;
  }

  private columns(table: string, rows: number, specs: readonly unknown[]): Omit<Chunk, "rows"> {
    const faults = new Map<string, string>();
    const columns: Record<string, Cells> = Object.create(null) as Record<string, Cells>;
    const types = new Map<string, string>();
    for (const spec of specs) {
      const [name, type] = [text(spec, "name"), text(spec, "type")];
      if (types.has(name)) throw new FormatError(`${table}.${name} is there twice`);
      types.set(name, type);
    }
    this.budget.takeTable(table, rows, types);
    for (const spec of specs) {
      const [name, type] = [text(spec, "name"), text(spec, "type")];
      const where = `${table}.${name}`;
      const known = knownType(where, table, name, type);
      const data = this.bytes(where, spec as Spec, type, rows);
      // What no view of this version knows is passed over, and not decoded.
      if (!known) continue;
      try {
        columns[name] = convertCells(decodeCells(spec as Spec, type, rows, data), type, known);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        faults.set(name, error.message);
      }
    }
    return { columns, faults };
  }

  private bytes(where: string, spec: Spec, type: string, rows: number): Uint8Array {
    try {
      return this.take(encodedSize(spec, type, rows), spec.plain === true);
    } catch (error) {
      throw error instanceof FormatError ? new FormatError(`${where}: ${error.message}`) : error;
    }
  }

  private take(size: number, isPlain: boolean): Uint8Array {
    const rest = isPlain ? this.plain : this.packed;
    if (size > rest.length) throw new FormatError("its bytes are missing");
    if (isPlain) this.plain = rest.subarray(size);
    else this.packed = rest.subarray(size);
    return rest.subarray(0, size);
  }
}

/** The type that the schema gives the column, null when it has none; throws when that does not go with this one. */
function knownType(where: string, table: string, name: string, type: string): ColumnType | null {
  const columns = Object.hasOwn(SCHEMA, table) ? SCHEMA[table as keyof typeof SCHEMA] : [];
  const known = columns.find(([column]) => column === name)?.[1] ?? null;
  if (known && type !== known && !(isNumberType(type) && isNumberType(known))) {
    throw new FormatError(`${where} is ${type}, and should be ${known}`);
  }
  return known;
}

function list(value: unknown, key: string): readonly unknown[] {
  const items = isRecord(value) ? value[key] : undefined;
  if (!Array.isArray(items)) throw new FormatError(`its header has no list '${key}'`);
  return items;
}

function text(value: unknown, key: string): string {
  const found = isRecord(value) ? value[key] : undefined;
  if (typeof found !== "string") throw new FormatError(`its header has no text '${key}'`);
  return found;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function oneLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ");
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
