import { describe, expect, it } from "vitest";
import { columnAt, columnsOf } from "./alignment";
import { readDetails, readDiff, type DiffRow } from "./data";
import { RowIndex, stateOf } from "./rows";

const row = (index: number, fields: Partial<Record<string, unknown>> = {}): DiffRow =>
  readDiff({
    rows: [
      { index, cells: ["1", "add"], what: "equal", material: false, cause: -1, events: [index, index], ...fields },
    ],
  }).rows[0];

const ROWS = [
  row(0),
  row(1, { what: "only_a", material: true, events: [7, -1] }),
  row(2, { what: "value", material: true, cause: 1, events: [8, 5], ulp: 1000 }),
  row(3, { what: "value", events: [9, 6], ulp: 2 }),
  row(4, { what: "not_kept", events: [-1, -1], tensors: [[3, 4]] }),
];

describe("what the kernel says", () => {
  it("is read without trust", () => {
    for (const nonsense of [null, 7, "x", [], { rows: [null, 3, { cells: 4, events: "a" }] }, { names: [1] }]) {
      const data = readDiff(nonsense);
      expect(data.names).toHaveLength(2);
      for (const one of data.rows)
        expect([one.events, one.tensors]).toEqual([
          [-1, -1],
          [-1, -1],
        ]);
      expect(readDetails(nonsense).elements).toEqual([]);
    }
  });

  it("gives each row one state", () => {
    expect(ROWS.map(stateOf)).toEqual(["equal", "own", "inherited", "rounding", "unknown"]);
  });
});

describe("rows", () => {
  const index = new RowIndex(ROWS);

  it("are found by an event of either side, and by a tensor that came in", () => {
    expect([index.of(0, 8, -1), index.of(1, 5, -1), index.of(1, -1, 4), index.of(0, 99, 3)]).toEqual([2, 2, 4, -1]);
  });

  it("have a place beside them where they have no partner", () => {
    expect(index.beside(1, 1)).toBe(0);
    expect(new RowIndex(ROWS.slice(1)).beside(0, 1)).toBe(5);
    expect(new RowIndex(ROWS.slice(1, 2)).beside(0, 1)).toBe(-1);
  });

  it("are gone through by what is wanted", () => {
    expect(index.next(-1, 1, (one) => one.material)).toBe(1);
    expect(index.next(1, 1, (one) => one.material && one.cause < 0)).toBe(-1);
    expect(index.next(2, -1, (one) => one.material)).toBe(1);
    expect([...index.differing(1)]).toEqual([-1, 5]);
  });
});

describe("lanes", () => {
  it("have a gap where one side has no partner, and an error that grows with the ULP", () => {
    const columns = columnsOf(ROWS, 500);
    expect(columns.map(({ a, b }) => [a, b])).toEqual([
      [true, true],
      [true, false],
      [true, true],
      [true, true],
      [true, true],
    ]);
    const errors = columns.map(({ error }) => error);
    expect(errors[0]).toBe(0);
    expect(errors[1]).toBe(1);
    expect(errors[2]).toBeGreaterThan(errors[3]);
    expect(errors[3]).toBeGreaterThan(0);
    expect(errors[4]).toBe(0);
  });

  it("never hide the gravest row of many in a pixel, and lose none", () => {
    const many = Array.from({ length: 5000 }, (_, at) => row(at, at === 3210 ? { what: "shape", material: true } : {}));
    const columns = columnsOf(many, 300);
    expect(columns[0].from).toBe(0);
    expect(columns.at(-1)!.to).toBe(5000);
    columns.slice(1).forEach((column, at) => expect(column.from).toBe(columns[at].to));
    const grave = columns.filter(({ state }) => state === "own");
    expect(grave).toHaveLength(1);
    expect(grave[0].from <= 3210 && grave[0].to > 3210).toBe(true);
    expect(columnAt(columns, grave[0].x + 0.5)).toBe(columns.indexOf(grave[0]));
    expect(columnsOf([], 300)).toEqual([]);
    expect(columnsOf(many, 0)).toEqual([]);
  });
});
