import { describe, expect, it } from "vitest";
import { Boundary, guarded } from "./boundary";
import { KeyBindings } from "./keys";
import { Signal } from "./signal";

function broken(): never {
  throw new Error("broken");
}

describe("a boundary", () => {
  it("tells once of the first error, and nothing of the part is called again", () => {
    const said: unknown[] = [];
    const boundary = new Boundary((error) => said.push(String(error)));
    const signal = new Signal(0);
    let heard = 0;
    boundary.run(() => {
      signal.on(() => (heard += 1));
      signal.on((value) => (value === 2 ? broken() : undefined));
    });
    for (const value of [1, 2, 3]) signal.set(value);
    expect([heard, said]).toEqual([2, ["Error: broken"]]);
    expect(boundary.run(() => "again")).toBeUndefined();
  });

  it("leaves those alone who listen to the same signal, and who set it", () => {
    const signal = new Signal(0);
    const heard: number[] = [];
    new Boundary(() => undefined).run(() => signal.on(broken));
    signal.on((value) => heard.push(value));
    const other = new Boundary(broken);
    other.run(() => signal.set(5));
    expect([heard, other.run(() => "whole")]).toEqual([[5], "whole"]);
  });

  it("gives keys back that a part took before it failed half-way", () => {
    const keys = new KeyBindings();
    const pressed: string[] = [];
    keys.bind("f", "Fit", () => pressed.push("earlier"));
    new Boundary(() => undefined).run(() => {
      keys.bind("f", "Fit", () => pressed.push("of the part"));
      broken();
    });
    keys.press("f");
    expect(pressed).toEqual(["earlier"]);
  });

  it("reaches what a callback of the part ties later", () => {
    const said: unknown[] = [];
    const [first, second] = [new Signal(0), new Signal(0)];
    new Boundary((error) => said.push(error)).run(() => first.on(() => second.on(broken)));
    first.set(1);
    second.set(1);
    expect(said.length).toBe(1);
  });

  it("asks for nothing where there is none", () => {
    const signal = new Signal(0);
    signal.on(guarded(broken));
    expect(() => signal.set(1)).toThrow("broken");
  });
});
