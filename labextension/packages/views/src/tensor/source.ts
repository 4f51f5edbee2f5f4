import { guarded } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import type { Edit } from "../experiments";
import { factsOf } from "../facts";
import type { ViewContext } from "../view";
import { answerAbsence, pendingAbsence, valuesAbsence, type Absence } from "./absence";
import { kernelCells, recordedCells, type Cells, type Run } from "./cells";
import { elements, type Elements } from "./elements";
import { readAnswer, type WindowRequest } from "./messages";
import type { Plane, Slice } from "./plane";

/** Cells when they are here; what can be shown meanwhile, or why there are none, when they are not. */
export interface CellLookup {
  readonly cells: Cells | null;
  readonly absence: Absence | null;
}

/** Where a tensor's elements come from: the recording when it kept them, else the kernel, else nowhere. */
export class CellSource {
  readonly #runs: readonly Run[];
  readonly #asked = new Map<string, CellLookup>();
  #latest: Cells | null = null;
  #kept: { key: string; cells: Cells | null } = { key: "", cells: null };

  /** `arrived` is called when an answer came that the last `find` was waiting for. */
  constructor(
    private readonly recording: Recording,
    readonly tensor: number,
    private readonly request: ViewContext["request"],
    private readonly arrived: () => void,
    private readonly edits: readonly Edit[] = [],
  ) {
    this.#runs = edits.length > 0 ? [] : recordedRuns(recording, tensor);
  }

  find(plane: Plane, slice: Slice): CellLookup {
    const key = JSON.stringify([plane.axes, plane.index, plane.facets, slice]);
    if (this.#kept.key !== key)
      this.#kept = { key, cells: this.#runs.length > 0 ? recordedCells(plane, slice, this.#runs) : null };
    if (this.#kept.cells) return { cells: this.#kept.cells, absence: null };
    if (!this.request) return { cells: null, absence: valuesAbsence(this.recording, this.tensor) };
    const known = this.#asked.get(key);
    if (known) return known;
    if (this.#asked.size > 16) this.#asked.delete([...this.#asked.keys()][0]);
    const waiting: CellLookup = { cells: this.#latest, absence: pendingAbsence() };
    this.#asked.set(key, waiting);
    const take = guarded((found: CellLookup) => {
      this.#asked.set(key, found);
      if (found.cells) this.#latest = found.cells;
      this.arrived();
    });
    void this.#ask(plane, slice).then(take);
    return waiting;
  }

  /** Forgets cells of another plane, so that they are not shown in place of those to come. */
  forget(): void {
    this.#latest = null;
  }

  async #ask(plane: Plane, slice: Slice): Promise<CellLookup> {
    const { axes, index, wrap, facets } = plane;
    const { start, size, stride } = slice;
    const message: WindowRequest = {
      kind: "window",
      tensor: this.tensor,
      axes,
      index,
      start,
      size,
      stride,
      ...(wrap > 0 ? { wrap } : {}),
      ...(this.edits.length > 0 ? { edits: this.edits } : {}),
      ...(facets ? { facets: [facets.axis, facets.across, facets.gap] } : {}),
    };
    try {
      const { message: said, buffers } = await this.request!(message);
      const answer = readAnswer(said);
      if (answer.state !== "ok")
        return { cells: null, absence: answerAbsence(this.recording, this.tensor, answer.state, answer.text) };
      const cells = kernelCells(plane, slice, answer.shape, answer.dtype, buffers[0] ?? new Uint8Array());
      return cells
        ? { cells, absence: null }
        : { cells: null, absence: answerAbsence(this.recording, this.tensor, "error", "") };
    } catch (error) {
      return {
        cells: null,
        absence: answerAbsence(this.recording, this.tensor, "error", error instanceof Error ? error.message : ""),
      };
    }
  }
}

// Reading bytes copies them: each run is read once, however often its tensor is shown.
const readings = new WeakMap<Uint8Array, Elements>();

/** The runs of elements that the recording kept of a tensor. */
export function recordedRuns(recording: Recording, tensor: number): Run[] {
  const { values } = recording;
  const dtype = factsOf(recording).dtype(tensor);
  const runs: Run[] = [];
  for (let row = values.tensor.indexOf(tensor); row >= 0; row = values.tensor.indexOf(tensor, row + 1)) {
    const data = values.data[row];
    const read = readings.get(data) ?? elements(dtype, data);
    if (read) readings.set(data, read);
    if (read) runs.push({ offset: values.offset[row], elements: read });
  }
  return runs;
}
