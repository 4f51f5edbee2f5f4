import { Signal } from "@tapeviz/core";
import { confine, fit, pan, reveal, zoom, type Box, type Camera } from "./grid";
import type { Plane } from "./plane";

export type Mode = "map" | "numbers";
/** What is shown of a tensor: "next" is the value and what it is at the next step of the run. */
export type Compare = "value" | "gradient" | "both" | "next";

type Cell = readonly [row: number, column: number];

export const ROW_HEIGHT = 24;

/** What the panes of the view share: the plane, the part of it in view, the cursor. Value and gradient move together. */
export class Viewport {
  /** Counts up whenever something that is drawn changed. */
  readonly changed = new Signal(0);
  mode: Mode = "map";
  logarithmic = false;
  cursor: Cell | null = null;
  hover: Cell | null = null;
  /** Room for cells in a pane; both panes have the same. */
  box: Box = { width: 1, height: 1 };
  /** The least width of a column of exact numbers, and the width that fills the box with whole ones. */
  narrowest = 100;
  column = 100;
  /** null: the whole plane, whatever the box. */
  #map: Camera | null = null;
  #numbers = { x: 0, y: 0 };
  #unsettled = false;

  constructor(public plane: Plane) {}

  get camera(): Camera {
    if (this.mode === "map") return this.#map ? confine(this.#map, this.plane, this.box) : fit(this.plane, this.box);
    return confine({ ...this.#numbers, w: this.column, h: ROW_HEIGHT }, this.plane, this.box);
  }

  /** Something else that is drawn changed. */
  touch(): void {
    this.changed.set(this.changed.value + 1);
  }

  set camera(camera: Camera) {
    // Whole rows and columns of numbers: a half one cannot be read.
    if (this.mode === "numbers") this.#numbers = { x: Math.round(camera.x), y: Math.round(camera.y) };
    else this.#map = camera.w <= fit(this.plane, this.box).w && camera.h <= fit(this.plane, this.box).h ? null : camera;
    this.touch();
  }

  /** Shows another plane; from the start when its rows and columns are others. */
  show(plane: Plane): void {
    const same =
      plane.rows === this.plane.rows &&
      plane.cols === this.plane.cols &&
      String(plane.axes) === String(this.plane.axes);
    if (!same) {
      this.#map = null;
      this.#numbers = { x: 0, y: 0 };
      this.cursor = this.hover = null;
    }
    this.plane = plane;
    this.touch();
  }

  switch(mode: Mode): void {
    if (mode === this.mode) return;
    const { x, y } = this.camera;
    const zoomed = this.#map !== null;
    this.mode = mode;
    if (mode === "numbers" && zoomed) this.#numbers = { x: Math.round(x), y: Math.round(y) };
    this.#unsettled = this.cursor !== null;
    this.touch();
  }

  /** The box was measured: after a switch the cursor is brought back into view. */
  settle(): void {
    if (!this.#unsettled || !this.cursor) return;
    this.#unsettled = false;
    this.camera = reveal(this.camera, this.plane, this.box, ...this.cursor);
  }

  point(cell: Cell | null): void {
    if (String(cell) === String(this.hover)) return;
    this.hover = cell;
    this.touch();
  }

  /** Puts the cursor on a cell and moves the view there. */
  goTo(r: number, c: number): void {
    const { rows, cols } = this.plane;
    const cell: Cell = [Math.min(Math.max(r, 0), rows - 1), Math.min(Math.max(c, 0), cols - 1)];
    this.cursor = cell;
    this.camera = reveal(this.camera, this.plane, this.box, ...cell);
  }

  /** Zooms around a point; without one around the cursor when it is in view, else around the middle. */
  zoom(factor: number, at?: readonly [px: number, py: number]): void {
    if (this.mode === "map")
      this.camera = zoom(
        this.camera,
        this.plane,
        this.box,
        factor,
        ...(at ?? this.#cursorAt() ?? [this.box.width / 2, this.box.height / 2]),
      );
  }

  #cursorAt(): [number, number] | null {
    if (!this.cursor) return null;
    const { x, y, w, h } = this.camera;
    const [px, py] = [(this.cursor[1] + 0.5 - x) * w, (this.cursor[0] + 0.5 - y) * h];
    return px >= 0 && py >= 0 && px <= this.box.width && py <= this.box.height ? [px, py] : null;
  }

  pan(dx: number, dy: number): void {
    this.camera = pan(this.camera, this.plane, this.box, dx, dy);
  }

  fit(): void {
    this.#map = null;
    this.#numbers = { x: 0, y: 0 };
    this.touch();
  }
}
