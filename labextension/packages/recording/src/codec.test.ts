import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { crc32 } from "./checksum";
import { contentsOf, fixtureBytes, fixtureJson, type Contents } from "./fixtures";
import { FormatError, MAGIC, Recording, type Tables } from "./index";

const NAMES = ["small", "everything", "extremes", "network", "traced"];

describe("what Python wrote", () => {
  it.each(NAMES)("comes out the same: %s", async (name) => {
    const recording = await Recording.openUnchecked(fixtureBytes(name));
    expect(recording.problem).toBeNull();
    expect(contentsOf(recording)).toEqual(fixtureJson<Contents>(name));
  });

  it.each(NAMES)("comes out the same in parts: %s", async (name) => {
    const whole = fixtureBytes(name);
    const ends = frameEnds(whole);
    const recording = await Recording.openUnchecked(whole.subarray(0, ends[0]));
    const before = recording.events;
    const rows = before.rows;
    const calls = ends.slice(1).map((end, i) => recording.append(whole.subarray(ends[i], end)));
    await Promise.all(calls);
    expect(contentsOf(recording)).toEqual(fixtureJson<Contents>(name));
    expect(recording.version).toBe(ends.length);
    expect([before.rows, before.id.length]).toEqual([rows, rows]);
  });

  it("does not mind where in a larger buffer it lies", async () => {
    const bytes = fixtureBytes("small");
    const larger = new Uint8Array(bytes.length + 13);
    larger.set(bytes, 5);
    const recording = await Recording.openUnchecked(larger.subarray(5, 5 + bytes.length));
    expect(contentsOf(recording)).toEqual(fixtureJson<Contents>("small"));
  });
});

describe("damage", () => {
  const whole = fixtureBytes("small");
  const ends = frameEnds(whole);

  it("opens up to the last whole frame, cut at any byte", async () => {
    for (let cut = 0; cut < whole.length; cut++) {
      const part = whole.subarray(0, cut);
      if (cut < MAGIC.length) {
        await expect(Recording.openUnchecked(part)).rejects.toThrow(
          cut ? `only ${cut} bytes are there` : "it is empty",
        );
        continue;
      }
      const recording = await Recording.openUnchecked(part);
      const frames = ends.filter((end) => end <= cut).length;
      expect(recording.events.rows).toBe(4 * frames);
      if (cut === MAGIC.length || ends.includes(cut)) expect(recording.problem).toBeNull();
      else expect(recording.problem).toMatch(cutOff(frames));
    }
  });

  it("finds a flipped bit in any byte", async () => {
    for (let bit = 0; bit < 8 * whole.length; bit += 9) {
      const damaged = whole.slice();
      damaged[bit >> 3] ^= 1 << (bit & 7);
      if (bit >> 3 < MAGIC.length) {
        await expect(Recording.openUnchecked(damaged)).rejects.toThrow(FormatError);
        continue;
      }
      const recording = await Recording.openUnchecked(damaged);
      const frames = ends.filter((end) => end <= bit >> 3).length;
      expect(recording.problem).toMatch(new RegExp(`^(damaged|cut off) after frame ${frames}[,:] [^\n]+$`));
      expect(recording.events.rows).toBe(4 * frames);
    }
  });

  it("adds nothing after it", async () => {
    const recording = await Recording.openUnchecked(whole.subarray(0, ends[0] + 9));
    const { problem } = recording;
    await recording.append(whole.subarray(ends[0]));
    expect(recording.problem).toBe(problem);
    expect(recording.events.rows).toBe(4);
  });

  it.each([
    [new TextEncoder().encode("<!doctype html>"), "not a recording: it begins with other bytes"],
    [Uint8Array.of(...MAGIC.subarray(0, 5), 0x32, 13, 10), "made by a newer tapeviz: format '2', this one reads '1'"],
  ])("refuses something else", async (bytes, message) => {
    await expect(Recording.openUnchecked(bytes)).rejects.toThrow(message);
  });
});

function cutOff(frames: number): RegExp {
  return new RegExp(`^cut off after frame ${frames}: only [0-9,]+ bytes of the next are there$`);
}

type Column = Record<string, unknown>;

function table(column: Column = {}, name = "events", rows: unknown = 2): object {
  const spec = { name: "id", type: "i4", code: "offset", base: 0, width: 0, ...column };
  return { tables: [{ name, rows, columns: [spec] }] };
}

describe("frames with right checksums", () => {
  const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

  it("are read", async () => {
    const recording = await opened(frame(table({ width: 1 }), bytes(1, 2)), frame(table({ base: -7 })));
    expect(recording.problem).toBeNull();
    expect([...recording.events.id]).toEqual([1, 2, -7, -7]);
  });

  it("may have tables, columns and types of another version", async () => {
    const recording = await opened(
      frame(table({}, "nodes")),
      frame(table({ name: "node" })),
      frame(table({ type: "u2", base: 9 })),
      frame(table({ name: "constructor" }, "toString")),
    );
    expect(recording.problem).toBeNull();
    expect([...recording.events.id]).toEqual([-1, -1, 9, 9]);
  });

  it.each<[object | string, Uint8Array, string]>([
    ["{", bytes(), "its header is no JSON"],
    [[], bytes(), "its header has no list 'tables'"],
    [{ tables: [3] }, bytes(), "its header has no text 'name'"],
    [table({}, "events", 0), bytes(), "events: rows is 0"],
    [table({}, "events", 2 ** 40), bytes(), "events: rows is 1099511627776"],
    [table({}, "events", "2"), bytes(), "events: rows is 2"],
    [table({ width: 8 }), new Uint8Array(16), "events.id: width is 8"],
    [table({ base: 0.5 }), bytes(), "events.id: base is 0.5"],
    [table({ code: "delta", width: 1 }), bytes(0), "events.id: first is undefined"],
    [table({ code: "zip" }), bytes(), "events.id: unknown encoding 'zip' of type 'i4'"],
    [table({ type: "i8" }), bytes(), "events.id is i8, and should be i4"],
    [table({ width: 1 }), bytes(0), "events.id: its bytes are missing"],
    [table(), bytes(0), "it has bytes that belong to no column"],
    [named("values", "data", { type: "bytes", code: "bytes", size: 3 }), bytes(1, 2, 3), "values.data: bytes without"],
  ])("are refused when no writer writes them: %j", async (header, data, message) => {
    const recording = await opened(frame(table()), frame(header, data));
    expect(recording.problem).toMatch(/^damaged after frame 1, at byte /);
    expect(recording.problem).toContain(`: ${message}`);
    expect([...recording.events.id]).toEqual([0, 0]);
  });

  it.each<[object, Uint8Array, string]>([
    [table({ name: "kind", type: "i4", base: 300 }), bytes(), "300 does not fit in u1"],
    [
      named("names", "name", { type: "text", code: "text", separator: 0, size: 1 }),
      bytes(97),
      "1 texts where 2 are announced",
    ],
    [
      named("names", "name", { type: "text", code: "text", separator: 0, size: 2 }),
      bytes(0, 255),
      "text that is not UTF-8",
    ],
    [named("values", "data", lengths(0)), bytes(1, 2, 3), "lengths that do not add up to 3 bytes"],
    [named("values", "data", lengths(-1)), bytes(1, 2, 3), "lengths that do not add up to 3 bytes"],
    [named("values", "data", lengths(2 ** 52)), bytes(1, 2, 3), "lengths that do not add up to 3 bytes"],
  ])("leave out a column whose bytes make no sense: %j", async (header, data, message) => {
    const recording = await Recording.open(joined(MAGIC, frame(table({}, "events", 1)), frame(header, data)));
    expect(recording.problem).toMatch(/^malformed: [a-z]+, rows [01] to [12], column [a-z]+: /);
    expect(recording.problem).toContain(message);
    expect(recording.events.id[0]).toBe(0);
  });

  it("are refused when they inflate to another size", async () => {
    for (const size of [1, 100_000]) {
      const recording = await opened(frame(table(), bytes(), size));
      expect(recording.problem).toContain("it does not inflate to the size announced");
    }
    expect((await opened(frame(table(), bytes(), 2 ** 31))).problem).toContain("it is larger than a frame may be");
  });
});

describe("bombs", () => {
  const many = (name: string, columns: number): object => ({
    tables: [
      {
        name,
        rows: 2 ** 22,
        columns: Array.from({ length: columns }, (_, i) => ({
          name: i ? `column${i}` : "id",
          type: "f8",
          code: "offset",
          base: 0,
          width: 0,
        })),
      },
    ],
  });

  it.each([
    ["events", 1, 1],
    ["nodes", 1, 60],
    ["unknown", 15, 40],
  ])("are refused before they take memory: %s", async (name, columns, count) => {
    const type = name === "events" || name === "nodes" ? "i4" : "f8";
    const header = JSON.parse(JSON.stringify(many(name, columns)).replaceAll("f8", type)) as object;
    const started = performance.now();
    const recording = await opened(...Array.from({ length: count }, () => frame(header)));
    expect(recording.problem).toContain("which no recording of its size does");
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it("count over all parts of a live recording", async () => {
    const recording = await opened();
    for (let i = 0; i < 40 && recording.problem === null; i++) await recording.append(frame(many("unknown", 1)));
    expect(recording.problem).toContain("which no recording of its size does");
  });

  it("have no long header", async () => {
    const recording = await opened(frame(`[${"{},".repeat(400_000)}{}]`));
    expect(recording.problem).toContain("its header is longer than one may be");
  });

  it("are told from many rows that are really there", async () => {
    const rows = new Uint8Array(300_000).map((_, i) => (i * 7919) % 251);
    const recording = await opened(frame(table({ width: 1 }, "events", rows.length), rows));
    expect(recording.problem).toBeNull();
    expect(recording.events.rows).toBe(rows.length);
  });
});

function named(name: keyof Tables, column: string, spec: Column): object {
  return { tables: [{ name, rows: 2, columns: [{ name: column, ...spec }] }] };
}

function lengths(base: number): Column {
  return { type: "bytes", code: "bytes", size: 3, lengths: { code: "offset", base, width: 0 } };
}

function opened(...frames: Uint8Array[]): Promise<Recording> {
  return Recording.openUnchecked(joined(MAGIC, ...frames));
}

function frame(header: object | string, data: Uint8Array = new Uint8Array(0), size?: number): Uint8Array {
  const text = new TextEncoder().encode(typeof header === "string" ? header : JSON.stringify(header));
  const body = joined(new Uint8Array(4), text, data);
  new DataView(body.buffer).setUint32(0, text.length, true);
  const packed = new Uint8Array(deflateSync(body));
  const head = new Uint8Array(24);
  const view = new DataView(head.buffer);
  head.set(new TextEncoder().encode("FRAM"));
  [packed.length, size ?? body.length, 0, crc32(packed)].forEach((value, i) => view.setUint32(4 + 4 * i, value, true));
  view.setUint32(20, crc32(head.subarray(0, 20)), true);
  return joined(head, packed);
}

function joined(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

function frameEnds(whole: Uint8Array): number[] {
  const ends: number[] = [];
  const view = new DataView(whole.buffer, whole.byteOffset);
  for (let at = MAGIC.length; at < whole.length; ends.push(at)) {
    at += 24 + view.getUint32(at + 4, true) + view.getUint32(at + 12, true);
  }
  return ends;
}
