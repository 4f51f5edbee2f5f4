import { describe, expect, it } from "vitest";
import { Viewport, ROW_HEIGHT } from "./viewport";
import { firstPlane } from "./plane";

const viewport = (shape: readonly number[]): Viewport =>
  Object.assign(new Viewport(firstPlane(shape)), { box: { width: 500, height: 240 } });

describe("what the panes share", () => {
  it("shows the whole plane until it is zoomed, and again when zoomed out", () => {
    const shown = viewport([50, 50]);
    const whole = shown.camera;
    shown.zoom(4);
    expect(shown.camera.w).toBe(4 * whole.w);
    shown.zoom(0.01);
    expect(shown.camera).toEqual(whole);
    shown.box = { width: 1000, height: 480 };
    expect(shown.camera.w).toBe(2 * whole.w);
  });

  it("zooms around the cursor", () => {
    const shown = viewport([50, 50]);
    shown.goTo(40, 45);
    shown.zoom(4);
    const { x, w } = shown.camera;
    expect(x).toBeLessThan(45);
    expect(x + 500 / w).toBeGreaterThan(46);
  });

  it("pages numbers by whole rows and columns, and keeps the cursor in view when it comes from the map", () => {
    const shown = viewport([50, 50]);
    shown.goTo(99, 99);
    expect(shown.cursor).toEqual([49, 49]);
    shown.switch("numbers");
    shown.box = { width: 400, height: 9 * ROW_HEIGHT };
    shown.settle();
    expect(shown.camera).toEqual({ x: 46, y: 41, w: 100, h: ROW_HEIGHT });
    shown.pan(-130, -30);
    expect([shown.camera.x, shown.camera.y]).toEqual([45, 40]);
  });

  it("begins anew for a plane with other axes, and stays where it was for another cut", () => {
    const shown = viewport([4, 50, 50]);
    shown.goTo(10, 10);
    shown.zoom(3);
    const before = shown.camera;
    shown.show({ ...shown.plane, index: [2, 0, 0] });
    expect([shown.camera, shown.cursor]).toEqual([before, [10, 10]]);
    shown.show(firstPlane([50, 4]));
    expect(shown.cursor).toBeNull();
  });

  it("tells once of each change", () => {
    const shown = viewport([5, 5]);
    const heard: number[] = [];
    shown.changed.on((n) => heard.push(n));
    shown.point([1, 1]);
    shown.point([1, 1]);
    shown.point(null);
    expect(heard).toEqual([1, 2]);
  });
});
