import { format } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import type { Message, ViewContext } from "../view";
import { save } from "./clipboard";
import { headline } from "./headline";
import { pngOf, svgOf } from "./picture";

/** An entry of the export menu; with `why` it cannot be had here, for that reason. */
export interface Export {
  readonly label: string;
  readonly run: () => void;
  readonly why?: string;
}

export interface Exporter {
  readonly context: ViewContext;
  readonly bytes?: () => Uint8Array | Promise<Uint8Array>;
  /** The part that has the view, and what surrounds it. */
  readonly main: HTMLElement;
  readonly shell: HTMLElement;
  /** The id of the view that is shown. */
  readonly view: () => string;
  /** Says what became of it, to eyes and ears. */
  readonly say: (text: string) => void;
}

/** What of a recording can be saved as a file. */
export function fileExports(exporter: Exporter): Export[] {
  const { context, bytes } = exporter;
  const { recording, request } = context;
  const name = fileName(recording);
  const written = (suffix: string): (() => void) =>
    saving(
      exporter,
      () => `${name}${suffix}`,
      async () => {
        const { message, buffers } = await request!({ kind: "export", suffix, view: exporter.view() });
        if (!buffers[0]) throw new Error(textOf(message));
        return buffers[0];
      },
    );
  const svg = (): string => svgOf(exporter.main, exporter.shell);
  const here = "This page is that: save it with the browser (Ctrl+S or ⌘S)";
  const kernel = `Needs the kernel, and this page has none: tapeviz.load("${name}.tape").save("${name}.json")`;
  return [
    ...(bytes ? [{ label: "Recording (.tape)", run: saving(exporter, () => `${name}.tape`, bytes) }] : []),
    { label: "Page with these views (.html)", run: written(".html"), why: request ? undefined : here },
    { label: "Trace for Perfetto (.json)", run: written(".json"), why: request ? undefined : kernel },
    {
      label: "Picture of the view (.png)",
      run: saving(
        exporter,
        () => `${name}-${exporter.view()}.png`,
        () => pngOf(svg()),
      ),
    },
    {
      label: "Picture for browsers (.svg)",
      run: saving(
        exporter,
        () => `${name}-${exporter.view()}.svg`,
        () => new TextEncoder().encode(svg()),
      ),
    },
  ];
}

/** A line of Python that gives what the filter lets through as a DataFrame. */
export function pandasLine(recording: Recording, filter: string, hasKernel: boolean): string {
  const frame = filter
    ? `tape.events.to_pandas().set_index("id").loc[tape.query(${JSON.stringify(filter)}).events]`
    : "tape.events.to_pandas()";
  return hasKernel ? frame : `tape = tapeviz.load("${fileName(recording)}.tape")\n${frame}`;
}

const fileName = (recording: Recording): string => headline(recording).title.replace(/[^\w-]+/g, "_");

const textOf = (message: Message): string => {
  const said = message["text"] ?? message["error"];
  return typeof said === "string" ? said : "the kernel gave nothing";
};

/** What takes its time may not come: both are said. */
function saving({ say }: Exporter, name: () => string, get: () => Promise<Uint8Array> | Uint8Array): () => void {
  return () => {
    void (async () => get())().then(
      (whole) => {
        save(whole, name());
        say(`Saved ${name()}, ${format.bytes(whole.length)}`);
      },
      (error: unknown) =>
        say(`${name()} could not be saved: ${error instanceof Error ? error.message : String(error)}`),
    );
  };
}
