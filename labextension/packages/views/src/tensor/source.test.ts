import type { Recording } from "@tapeviz/recording";
import { describe, expect, it } from "vitest";
import { tensors } from "../fixture/tensors";
import { answer } from "../fixture/kernel";
import type { Answer, Message } from "../view";
import { WINDOW_LIMIT } from "./messages";
import { fit, sliceOf } from "./grid";
import { firstPlane } from "./plane";
import { CellSource } from "./source";

const recording = tensors();
const named = (from: Recording, name: string): number => from.names.tensor[from.names.name.indexOf(name)];
const SPAN = { start: [2, 0], size: [2, 3], stride: [1, 2] } as const;

/** Asks once, waits for the answer, and gives what is found then, and what was sent. */
async function ask(
  name: string,
  shape: readonly number[],
  reply: (message: Message) => Promise<Answer>,
): Promise<{ found: ReturnType<CellSource["find"]>; sent: Message[] }> {
  const sent: Message[] = [];
  let arrived = (): void => undefined;
  const done = new Promise<void>((resolve) => (arrived = resolve));
  const request = (message: Message): Promise<Answer> => (sent.push(message), reply(message));
  const source = new CellSource(recording, named(recording, name), request, () => arrived());
  const plane = firstPlane(shape);
  expect(source.find(plane, SPAN).absence?.state).toBe("pending");
  await done;
  return { found: source.find(plane, SPAN), sent };
}

describe("where elements come from", () => {
  it("is the recording when it kept them: no kernel is asked", () => {
    const source = new CellSource(
      recording,
      named(recording, "labels"),
      () => Promise.reject(new Error("asked")),
      () => undefined,
    );
    const { cells } = source.find(firstPlane([32]), { start: [0, 0], size: [4, 10], stride: [1, 1] });
    expect([...cells!.numbers.subarray(0, 5)]).toEqual([0, 7, 4, 1, 8]);
  });

  it("is the kernel otherwise, asked once for the same window", async () => {
    const { found, sent } = await ask("waves", [1_000_000], answer);
    expect(sent).toEqual([
      { kind: "window", tensor: named(recording, "waves"), axes: [-1, 0], index: [0], ...SPAN, wrap: 100 },
    ]);
    expect(found.absence).toBeNull();
    expect(found.cells!.numbers[4]).toBeCloseTo(Math.sin(302 / 1000), 6);
  });

  it("is nowhere when the kernel says so, cannot, or answers something else", async () => {
    const says = (message: object) => (): Promise<Answer> =>
      Promise.resolve({ message: { kind: "window", ...message }, buffers: [new Uint8Array(4)] });
    const state = async (reply: (message: Message) => Promise<Answer>): Promise<string> =>
      (await ask("table", [10_000, 10_000], reply)).found.absence!.text;
    expect(await state(says({ state: "evicted" }))).toContain("--budget");
    expect(await state(says({ error: "no engine" }))).toContain("--budget");
    expect(await state(says({ state: "ok", shape: [2, 3], dtype: "float32" }))).toBe("The kernel did not answer.");
    expect(await state(() => Promise.reject(new Error("the kernel is gone")))).toBe("the kernel is gone");
  });

  it("never asks for more than an answer may hold, however large the screen", () => {
    for (const shape of [[10_000, 10_000], [1e8], [3, 1e7], [1e7, 3]]) {
      const plane = firstPlane(shape);
      const box = { width: 3840, height: 2160 };
      const { size } = sliceOf(fit(plane, box), plane, box);
      expect(size[0] * size[1]).toBeLessThanOrEqual(WINDOW_LIMIT);
    }
  });
});
