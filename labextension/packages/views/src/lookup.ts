import { DTYPES, ROLE, type Recording } from "@tapeviz/recording";

/** Rows of tables by what they are about, so that a look-up does not read a table. Built once a version. */
export interface Index {
  /** Row of `tensors`, of `stats`, and the latest row of `names` of a tensor; -1 for none. */
  readonly tensorRow: (tensor: number) => number;
  readonly statsRow: (tensor: number) => number;
  readonly nameRow: (tensor: number) => number;
  /** Rows of `edges`, in their order. */
  readonly edgesOf: (event: number) => readonly number[];
  readonly edgesTo: (tensor: number) => readonly number[];
  /** The last row of `gradients` of a forward tensor, and of those whose sum or addend a tensor is. */
  readonly gradientRow: (tensor: number) => number;
  readonly gradientOfRow: (tensor: number) => number;
  readonly valuesRows: (tensor: number) => readonly number[];
  readonly requestRow: (source: number) => number;
}

const known = new WeakMap<Recording, { version: number; rows: number; index: Index }>();

/** The index of a recording as it is now. */
export function indexOf(recording: Recording): Index {
  const rows = recording.events.rows + recording.tensors.rows + recording.stats.rows + recording.gradients.rows;
  const before = known.get(recording);
  if (before && before.version === recording.version && before.rows === rows) return before.index;
  const index = build(recording);
  known.set(recording, { version: recording.version, rows, index });
  return index;
}

function build(recording: Recording): Index {
  const { tensors, stats, names, edges, gradients, values, requests } = recording;
  const touched = lists(edges.event);
  const touching = lists(edges.tensor);
  const parts = last(gradients.addend);
  const sums = last(gradients.gradient);
  return {
    tensorRow: last(tensors.id), statsRow: last(stats.tensor), nameRow: last(names.tensor),
    edgesOf: touched, edgesTo: touching,
    gradientRow: last(gradients.tensor),
    gradientOfRow: (tensor) => (sums(tensor) >= 0 ? sums(tensor) : parts(tensor)),
    valuesRows: lists(values.tensor),
    requestRow: last(requests.source),
  };
}

/** Key to the last row that has it. */
function last(keys: ArrayLike<number>): (key: number) => number {
  const rows = new Int32Array(largest(keys) + 1).fill(-1);
  for (let row = 0; row < keys.length; row++) if (keys[row] >= 0) rows[keys[row]] = row;
  return (key) => rows[key] ?? -1;
}

/** Key to all rows that have it, in order: two flat arrays, not a list a key. */
function lists(keys: ArrayLike<number>): (key: number) => readonly number[] {
  const ends = new Int32Array(largest(keys) + 2);
  for (let row = 0; row < keys.length; row++) if (keys[row] >= 0) ends[keys[row] + 1] += 1;
  for (let key = 1; key < ends.length; key++) ends[key] += ends[key - 1];
  const next = ends.slice();
  const rows = new Int32Array(ends[ends.length - 1]);
  for (let row = 0; row < keys.length; row++) if (keys[row] >= 0) rows[next[keys[row]]++] = row;
  return (key) => (key < 0 || key + 1 >= ends.length ? [] : Array.from(rows.subarray(ends[key], ends[key + 1])));
}

function largest(keys: ArrayLike<number>): number {
  let most = -1;
  for (let row = 0; row < keys.length; row++) if (keys[row] > most) most = keys[row];
  return most;
}

/** The tensors an event reads or makes, by slot. */
export function touched(recording: Recording, event: number, role: keyof typeof ROLE): number[] {
  const { edges } = recording;
  const rows = indexOf(recording).edgesOf(event).filter((row) => edges.role[row] === ROLE[role]);
  return rows.sort((a, b) => edges.slot[a] - edges.slot[b]).map((row) => edges.tensor[row]);
}

/** The events that read a tensor, in order and once each. */
export function readers(recording: Recording, tensor: number): number[] {
  const { edges } = recording;
  const rows = indexOf(recording).edgesTo(tensor).filter((row) => edges.role[row] === ROLE.in);
  return [...new Set(rows.map((row) => edges.event[row]))];
}

export function dtypeOf(recording: Recording, tensor: number): string {
  const row = indexOf(recording).tensorRow(tensor);
  return row < 0 ? "" : (DTYPES[recording.tensors.dtype[row]] ?? "");
}

export function shapeOf(recording: Recording, tensor: number): number[] {
  const row = indexOf(recording).tensorRow(tensor);
  try {
    const shape: unknown = JSON.parse(recording.text(recording.tensors.shape[row]));
    return Array.isArray(shape) ? shape.map(Number) : [];
  } catch {
    return [];
  }
}

/** The whole gradient of a forward tensor: a tensor's number, -1 for None, undefined when none was worked out. */
export function gradientOf(recording: Recording, tensor: number): number | undefined {
  const { gradients, requests } = recording;
  const index = indexOf(recording);
  const row = index.gradientRow(tensor);
  if (row >= 0) return gradients.gradient[row];
  const asked = index.requestRow(tensor);
  return asked >= 0 ? requests.gradient[asked] : undefined;
}

/** The forward tensor whose gradient, or a part of whose gradient, this is; -1 for none. */
export function gradientFor(recording: Recording, tensor: number): number {
  const row = indexOf(recording).gradientOfRow(tensor);
  return row < 0 ? -1 : recording.gradients.tensor[row];
}

/** What the user calls a tensor: the name it was stored under, else the variable's, else what made it and its number. */
export function nameOf(recording: Recording, tensor: number): string {
  const { tensors, names, variables } = recording;
  const index = indexOf(recording);
  const named = index.nameRow(tensor);
  if (named >= 0) return names.name[named];
  const row = index.tensorRow(tensor);
  if (row < 0) return `tensor ${tensor}`;
  const variable = tensors.variable[row] < 0 ? -1 : variables.id.indexOf(tensors.variable[row]);
  if (variable >= 0) return variables.name[variable].replace(/:0$/, "");
  const forward = gradientFor(recording, tensor);
  if (forward >= 0 && forward !== tensor) return `∂${nameOf(recording, forward)}`;
  const op = opName(recording, tensors.producer[row]);
  return op ? `${op} ${tensor}` : `tensor ${tensor}`;
}

export function opName(recording: Recording, event: number): string {
  return recording.ops.name[recording.events.op[event] ?? -1] ?? "";
}

/** The facts about a recording that are not in a column, such as its policy; undefined when not said. */
export function metaOf(recording: Recording, key: string): unknown {
  const row = recording.meta.key.lastIndexOf(key);
  try {
    return row < 0 ? undefined : JSON.parse(recording.meta.value[row]);
  } catch {
    return undefined;
  }
}
