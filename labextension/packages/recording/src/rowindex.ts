// Which rows belong to which: made when first asked for, once for all that ask, since a million ops take their time and
// their memory.

import { firstRow, lastRow, groupByKey, rowsOf, type GroupedRows, type RowOf } from "./lists";
import type { Recording } from "./recording";
import { PHASE, ROLE } from "./tables.gen";

export class RowIndex {
  private readonly made = new Map<string, GroupedRows | RowOf>();
  // Tables of one moment: those of a recording that grows are other ones later.
  private readonly edges: Recording["edges"];
  private readonly ends: Recording["ends"];
  private readonly events: Recording["events"];
  private readonly gradients: Recording["gradients"];
  private readonly names: Recording["names"];
  private readonly stats: Recording["stats"];
  private readonly tensors: Recording["tensors"];

  constructor(recording: Recording) {
    ({
      edges: this.edges,
      ends: this.ends,
      events: this.events,
      gradients: this.gradients,
      names: this.names,
      stats: this.stats,
      tensors: this.tensors,
    } = recording);
  }

  get inputs(): GroupedRows {
    return this.once("inputs", () => this.touched(ROLE.in));
  }

  get outputs(): GroupedRows {
    return this.once("outputs", () => this.touched(ROLE.out));
  }

  get saved(): GroupedRows {
    return this.once("saved", () => this.touched(ROLE.saved));
  }

  get consumers(): GroupedRows {
    const { event, role, tensor } = this.edges;
    return this.once("consumers", () => groupByKey(tensor, event, (i) => role[i] === ROLE.in));
  }

  get backwards(): GroupedRows {
    const { id, origin, phase } = this.events;
    return this.once("backwards", () => groupByKey(origin, id, (i) => phase[i] === PHASE.backward));
  }

  get children(): GroupedRows {
    return this.once("children", () => groupByKey(this.events.parent, this.events.id));
  }

  get contributions(): GroupedRows {
    const { tensor } = this.gradients;
    return this.once("contributions", () => groupByKey(tensor, counting(tensor.length)));
  }

  get gradientRows(): GroupedRows {
    const { backward } = this.gradients;
    return this.once("gradientRows", () => groupByKey(backward, counting(backward.length)));
  }

  get eventRow(): RowOf {
    return this.once("eventRow", () => rowsOf(this.events.id));
  }

  get tensorRow(): RowOf {
    return this.once("tensorRow", () => rowsOf(this.tensors.id));
  }

  get stat(): RowOf {
    return this.once("stat", () => lastRow(this.stats.tensor));
  }

  get nameRow(): RowOf {
    return this.once("nameRow", () => lastRow(this.names.tensor));
  }

  get gradientRow(): RowOf {
    return this.once("gradientRow", () => lastRow(this.gradients.tensor));
  }

  get endRow(): RowOf {
    return this.once("endRow", () => lastRow(this.ends.event));
  }

  /** The first row of gradients in which a tensor is an addend, else the first in which it is the gradient. */
  get gradientOf(): RowOf {
    return this.once("gradientOf", () => {
      const [addend, gradient] = [firstRow(this.gradients.addend), firstRow(this.gradients.gradient)];
      return (tensor) => (addend(tensor) >= 0 ? addend(tensor) : gradient(tensor));
    });
  }

  private touched(wanted: number): GroupedRows {
    const { event, role, tensor } = this.edges;
    return groupByKey(event, tensor, (i) => role[i] === wanted);
  }

  private once<T extends GroupedRows | RowOf>(name: string, make: () => T): T {
    let known = this.made.get(name) as T | undefined;
    if (!known) this.made.set(name, (known = make()));
    return known;
  }
}

function counting(rows: number): Int32Array {
  const numbers = new Int32Array(rows);
  for (let row = 0; row < rows; row++) numbers[row] = row;
  return numbers;
}

const known = new WeakMap<Recording, { readonly version: number; readonly index: RowIndex }>();

/** The index of a recording, another one after rows were added. */
export function rowIndexOf(recording: Recording): RowIndex {
  const before = known.get(recording);
  if (before?.version === recording.version) return before.index;
  const index = new RowIndex(recording);
  known.set(recording, { version: recording.version, index });
  return index;
}
