import { format, h } from "@tapeviz/core";
import type { Matrix } from "./values";

/** So many rows and columns of a matrix are written; of a larger one the first of them and the last. */
const MOST = 8;

export interface MatrixLook {
  /** Above it: what it is, and what part it plays. */
  readonly title: string;
  readonly role?: string;
  readonly transposed?: boolean;
  /** Elements, by their place in the matrix as it is stored, that make the chosen element. */
  readonly lit?: ReadonlySet<number>;
  /** The element that is chosen. */
  readonly chosen?: number;
  /** Called with an element's place; the matrix is one to choose an element of. */
  readonly pick?: (i: number) => void;
  /** Called with an element's place that is to have another value. */
  readonly edit?: (i: number) => void;
  /** Question marks stand for the numbers; "all": for the shape, too. */
  readonly hidden?: boolean | "all";
  /** What stands there where the elements are not at hand. */
  readonly absence?: string;
  readonly shape: readonly number[];
}

/** A matrix as it is written on a board: its name, its numbers in brackets, its shape. */
export function matrixElement(matrix: Matrix | null, look: MatrixLook): HTMLElement {
  const { title, role, transposed = false, shape } = look;
  const turned = transposed ? [...shape.slice(0, -2), ...shape.slice(-2).reverse()] : shape;
  const name = h("span", { class: "tvw-name" }, title, transposed && h("sup", {}, "⊤"));
  const isShapeHidden = look.hidden === "all";
  const size = isShapeHidden ? "?" : `(${turned.join(", ")}${turned.length === 1 ? "," : ""})`;
  return h(
    "figure",
    { class: "tvw-figure", "aria-label": `${title}${transposed ? " transposed" : ""}, ${size}` },
    h("figcaption", {}, role !== undefined && h("span", { class: "tvw-role" }, role), name),
    matrix && !isShapeHidden
      ? grid(matrix, look)
      : h("p", { class: "tvw-absent" }, isShapeHidden ? "?" : (look.absence ?? "—")),
    h("span", { class: "tvw-shape" }, size, matrix?.cut && !isShapeHidden ? ` at ${matrix.cut}` : ""),
  );
}

function grid(
  matrix: Matrix,
  { transposed = false, lit, chosen, pick, edit, hidden = false }: MatrixLook,
): HTMLElement {
  const [rows, cols] = transposed ? [matrix.cols, matrix.rows] : [matrix.rows, matrix.cols];
  const shown = [places(rows), places(cols)];
  const lines = shown[0].map((r) =>
    h(
      "tr",
      {},
      ...shown[1].map((c) => {
        if (r < 0 || c < 0) return h("td", { class: "tvw-more" }, r < 0 && c < 0 ? "⋱" : r < 0 ? "⋮" : "⋯");
        const i = transposed ? c * matrix.cols + r : r * matrix.cols + c;
        const number = hidden ? "?" : cellText(matrix, i);
        const look = i === chosen ? "tvw-chosen" : lit?.has(i) ? "tvw-lit" : "";
        const moved = !hidden && matrix.moved?.(i) ? "tvw-moved" : "";
        return h("td", { class: [look, moved].filter(Boolean).join(" ") || undefined, "data-i": i }, number);
      }),
    ),
  );
  const table = h(
    "table",
    { class: `tvw-matrix${pick ? " tvw-pick" : ""}`, role: "presentation" },
    h("tbody", {}, ...lines),
  );
  const onCell = (type: string, run?: (i: number) => void): void => {
    if (!run) return;
    table.addEventListener(type, (event) => {
      const cell = (event.target as Element).closest<HTMLElement>("td[data-i]");
      if (cell) run(Number(cell.dataset["i"]));
    });
  };
  onCell("click", pick);
  onCell("dblclick", edit);
  return table;
}

/** A number as it is written on a board; NaN that stands for "not known" is an open dot. */
export function cellText({ numbers, text, tensor }: Matrix, i: number): string {
  const x = numbers[i];
  if (tensor < 0) return Number.isNaN(x) ? "·" : short(x);
  const exact = text(i);
  return /^(True|False)$/.test(exact) || exact.includes("j") ? exact : short(x);
}

/** Three digits; a power of ten in few letters, for columns are as wide as their widest number. */
function short(x: number): string {
  const size = Math.abs(x);
  if (!Number.isFinite(x) || x === 0 || (size >= 1e-3 && size < 1e5)) return format.number(x);
  return x.toExponential(1).replace(/-/g, "−").replace("e+", "e");
}

function places(count: number): number[] {
  if (count <= MOST) return Array.from({ length: count }, (_, i) => i);
  return [...Array.from({ length: MOST - 2 }, (_, i) => i), -1, count - 1];
}
