// For tests: what Python wrote, and what it says is in it.

import { readFileSync } from "node:fs";
import { crc32 } from "./checksum";
import { SCHEMA, type Recording, type Tables } from "./index";

const FOLDER = new URL("../fixtures/", import.meta.url);

export type Contents = Record<keyof Tables, Record<string, unknown[]>>;

export function fixtureBytes(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`${name}.tape`, FOLDER)));
}

export function fixtureJson<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), "utf-8")) as T;
}

/** The rows of a recording in the form that Python wrote them. */
export function contentsOf(recording: Recording): Contents {
  const tables = Object.entries(SCHEMA).map(([table, columns]) => {
    const rows = recording[table as keyof Tables] as unknown as Record<string, ArrayLike<unknown>>;
    return [table, Object.fromEntries(columns.map(([name]) => [name, Array.from(rows[name], plain)]))];
  });
  return Object.fromEntries(tables) as Contents;
}

function plain(cell: unknown): unknown {
  if (cell instanceof Uint8Array) return [cell.length, crc32(cell)];
  if (typeof cell !== "number" || (Number.isFinite(cell) && !Object.is(cell, -0))) return cell;
  return Object.is(cell, -0) ? "-0" : String(cell);
}
