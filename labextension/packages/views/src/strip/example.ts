import { read, type Strip, type StripPayload } from "./data";

/** A training as the kernel would send it, for the fixture and for tests. */
export function example(steps: number, options: { rows?: number; running?: boolean; nan?: boolean } = {}): Strip {
  return read(examplePayload(steps, options));
}

export function examplePayload(
  steps: number,
  { rows = 6, running = true, nan = false }: { rows?: number; running?: boolean; nan?: boolean } = {},
): StripPayload {
  const stride = Math.max(1, 2 ** Math.ceil(Math.log2(Math.max(steps, 1) / 480)));
  const used = Math.ceil(steps / stride);
  const cells = new Uint8Array(rows * used);
  const zeros = new Uint8Array(rows * used);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < used; column++) {
      const wave = 14 * Math.sin(column / 9 + row) + 8 * Math.sin(column * 1.7 + row * 3);
      cells[row * used + column] =
        row === 3 && column > used / 2 ? 1 : Math.round(175 - row * 12 - (60 * column) / (used + 60) + wave);
      zeros[row * used + column] = column % 3 === 0 ? 40 + row * 30 : 0;
    }
    if (nan && used > 0) cells[row * used + used - 1] = 255;
  }
  const loss = Float32Array.from(
    { length: used },
    (_, i) => 2.3 * Math.exp(-i / (used / 3)) + 0.1 + 0.05 * Math.sin(i * 2.1),
  );
  if (nan && used > 0) loss[used - 1] = NaN;
  const names = ["conv2d", "batch_normalization", "conv2d_1", "dense", "dense_1", "logits"];
  const batches = 57;
  return {
    rows: Array.from({ length: rows }, (_, i) => names[i] ?? `dense_${i - 3}`),
    stride,
    steps,
    scales: {
      gradient: { title: "gradient norm", low: 1e-6, high: 1e2, log: true },
      zeros: { title: "zeros in the gradient", low: 0, high: 1, log: false },
    },
    quantities: steps > 0 ? { gradient: text(cells), zeros: text(zeros) } : {},
    loss: text(new Uint8Array(loss.buffer)),
    epochs: Array.from({ length: Math.ceil(steps / batches) }, (_, i) => i * batches),
    marks: [
      ...(steps > 100 ? [{ step: 80, kind: "rate" as const, text: "learning rate 0.0005", tape: 0 }] : []),
      ...(nan ? [{ step: steps - 1, kind: "nan" as const, text: "the loss is NaN", tape: 7 }] : []),
    ],
    progress: {
      state: nan ? "stopped" : running ? "running" : "done",
      epoch: Math.max(1, Math.ceil(steps / batches)),
      epochs: 10,
      batch: steps === 0 ? 0 : ((steps - 1) % batches) + 1,
      batches,
      seconds: steps * 0.004,
      results:
        steps > 0
          ? [
              ["accuracy", "0.9312"],
              ["loss", nan ? "nan" : "0.2115"],
            ]
          : [],
    },
    note: steps > 2000 ? "one step in 4 is measured: more would cost over 5 % of the time" : "",
    overhead: 0.031,
    title: "LiveTape",
    metrics: {},
    words: rows > 3 && steps > 100 ? { dense: "all zero" } : {},
    unit: "step",
    loop: 0,
  };
}

const text = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
