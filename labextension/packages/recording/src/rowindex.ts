// Which rows belong to which: made when first asked for, once for all that ask, since a million ops take their time and
// their memory.

import { earliest, latest, lists, rowsOf, type Lists, type RowOf } from "./lists";
import type { Recording } from "./recording";
import { PHASE, ROLE } from "./tables.gen";

export class RowIndex {
  private readonly made = new Map<string, Lists | RowOf>();
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

  get inputs(): Lists {
    return this.once("inputs", () => this.touched(ROLE.in));
  }

  get outputs(): Lists {
    return this.once("outputs", () => this.touched(ROLE.out));
  }

  get saved(): Lists {
    return this.once("saved", () => this.touched(ROLE.saved));
  }

  get consumers(): Lists {
    const { event, role, tensor } = this.edges;
    return this.once("consumers", () => lists(tensor, event, (i) => role[i] === ROLE.in));
  }

  get backwards(): Lists {
    const { id, origin, phase } = this.events;
    return this.once("backwards", () => lists(origin, id, (i) => phase[i] === PHASE.backward));
  }

  get children(): Lists {
    return this.once("children", () => lists(this.events.parent, this.events.id));
  }

  get contributions(): Lists {
    const { tensor } = this.gradients;
    return this.once("contributions", () => lists(tensor, counting(tensor.length)));
  }

  get gradientRows(): Lists {
    const { backward } = this.gradients;
    return this.once("gradientRows", () => lists(backward, counting(backward.length)));
  }

  get eventRow(): RowOf {
    return this.once("eventRow", () => rowsOf(this.events.id));
  }

  get tensorRow(): RowOf {
    return this.once("tensorRow", () => rowsOf(this.tensors.id));
  }

  get stat(): RowOf {
    return this.once("stat", () => latest(this.stats.tensor));
  }

  get nameRow(): RowOf {
    return this.once("nameRow", () => latest(this.names.tensor));
  }

  get gradientRow(): RowOf {
    return this.once("gradientRow", () => latest(this.gradients.tensor));
  }

  get endRow(): RowOf {
    return this.once("endRow", () => latest(this.ends.event));
  }

  /** The first row of gradients in which a tensor is an addend, else the first in which it is the gradient. */
  get gradientOf(): RowOf {
    return this.once("gradientOf", () => {
      const [addend, gradient] = [earliest(this.gradients.addend), earliest(this.gradients.gradient)];
      return (tensor) => (addend(tensor) >= 0 ? addend(tensor) : gradient(tensor));
    });
  }

  private touched(wanted: number): Lists {
    const { event, role, tensor } = this.edges;
    return lists(event, tensor, (i) => role[i] === wanted);
  }

  private once<T extends Lists | RowOf>(name: string, make: () => T): T {
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
