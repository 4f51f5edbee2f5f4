import type { Edit } from "../experiments";
import type { ViewContext } from "../view";
import { factsOf } from "../facts";
import type { Absence } from "../tensor/absence";
import { firstPlane } from "../tensor/plane";
import { CellSource } from "../tensor/source";

/** The elements of a tensor's last two axes, row by row: all of its elements where it has no more than two. */
export interface Matrix {
  readonly tensor: number;
  readonly shape: readonly number[];
  readonly rows: number;
  readonly cols: number;
  readonly numbers: Float64Array;
  readonly text: (i: number) => string;
  /** Where the other axes are cut, "[0, 0, :, :]"; "" where there are none. */
  readonly cut: string;
  /** Whether an element is other than recorded: the program ran again with other values. */
  readonly moved?: (i: number) => boolean;
}

export type Found = { readonly matrix: Matrix } | { readonly absence: Absence | null };

/** More elements than this are not asked for: a lecture's tensors are small, and a large one has a view of its own. */
const MOST = 1 << 14;

/**
 * Elements of tensors, from the recording or from the kernel; each is asked for once. Where the program ran again with
 * other values, those that it has then.
 */
export class Values {
  readonly #sources = new Map<string, CellSource>();

  /** `arrived` is called when elements came that were waited for. */
  constructor(
    private readonly context: Pick<ViewContext, "recording" | "request" | "experiments">,
    private readonly arrived: () => void,
  ) {}

  find(tensor: number): Found {
    const edits = this.context.experiments?.editsOf(tensor) ?? [];
    if (!this.isMoved(tensor)) return this.#find(tensor, []);
    const [found, recorded] = [this.#find(tensor, edits), this.#find(tensor, [])];
    if (!("matrix" in found) || !("matrix" in recorded)) return found;
    const before = recorded.matrix.numbers;
    return { matrix: { ...found.matrix, moved: (i) => !Object.is(found.matrix.numbers[i], before[i]) } };
  }

  #find(tensor: number, edits: readonly Edit[]): Found {
    const { recording, request } = this.context;
    const facts = factsOf(recording);
    if (tensor < 0 || facts.tensorRow(tensor) < 0) return { absence: null };
    const shape = facts.shape(tensor);
    const size = shape.reduce((product, n) => product * n, 1);
    const rank = shape.length;
    const [rows, cols] = [rank < 2 ? 1 : shape[rank - 2], rank < 1 ? 1 : shape[rank - 1]];
    if (size === 0 || rows * cols > MOST) return { absence: null };
    const key = `${tensor} ${edits.length > 0 ? JSON.stringify(edits) : ""}`;
    let source = this.#sources.get(key);
    if (!source) this.#sources.set(key, (source = new CellSource(recording, tensor, request, this.arrived, edits)));
    // Rows of one axis are not wrapped here: it is written as one.
    const flat = {
      ...firstPlane(shape),
      axes: [rank < 2 ? -1 : rank - 2, rank - 1] as const,
      wrap: 0,
      facets: null,
      rows,
      cols,
    };
    const plane = { ...flat, index: rank === 0 ? [0] : shape.map(() => 0) };
    const { cells, absence } = source.find(plane, { start: [0, 0], size: [rows, cols], stride: [1, 1] });
    if (!cells || cells.slice.size[0] !== rows || cells.slice.size[1] !== cols || cells.missing) return { absence };
    const cut = rank > 2 ? `[${[...Array<string>(rank - 2).fill("0"), ":", ":"].join(", ")}]` : "";
    return { matrix: { tensor, shape, rows, cols, numbers: cells.numbers, text: cells.text, cut } };
  }

  /** Whether a tensor is other than recorded. */
  isMoved(tensor = -1): boolean {
    return (this.context.experiments?.editsOf(tensor) ?? []).length > 0;
  }

  matrix(tensor: number): Matrix | null {
    const found = this.find(tensor);
    return "matrix" in found ? found.matrix : null;
  }
}
