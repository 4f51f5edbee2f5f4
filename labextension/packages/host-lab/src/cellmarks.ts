// The marks in the editors of one notebook: asks the kernel of each tape that is still its cell's last run, and gives each
// editor what is known of its cell.
import { Disposer, Signal, requestId, type Dispose } from "@tapeviz/core";
import type { CodeMirror, EditorView } from "./codemirror";
import { equipEditor, type EditorActions, type EditorOptions, type EquippedEditor } from "./editor";
import type { Cell, NotebookPanel } from "./jupyterlab";
import type { KernelConnection } from "./kernelconnection";
import type { EditorMarks, MarkedLine, TapeMarks } from "./marks";
import type { KernelStatus, Tape } from "./state";

// A loop may record many a second, and each would be asked for.
const PAUSE_MS = 200;

export class CellMarks {
  readonly dispose: Dispose;
  /** How many findings each tape has, as far as that is known. */
  readonly findings = new Signal<ReadonlyMap<number, readonly number[]>>(new Map());
  readonly #answers = new Map<number, TapeMarks>();
  readonly #asked = new Set<number>();
  readonly #editors = new WeakMap<EditorView, EquippedEditor>();
  readonly #shown = new WeakMap<EquippedEditor, EditorMarks | null>();
  #marks: ReadonlyMap<string, EditorMarks> = new Map();
  #timer = 0;

  constructor(
    readonly codemirror: CodeMirror,
    readonly notebook: NotebookPanel,
    readonly connection: KernelConnection,
    readonly options: Signal<EditorOptions>,
    readonly actions: EditorActions,
  ) {
    // Cells that come, move or are scrolled to have new editors.
    const again = (): void => this.#later();
    notebook.content.modelContentChanged.connect(again);
    this.dispose = new Disposer().add(
      () => notebook.content.modelContentChanged.disconnect(again),
      () => clearTimeout(this.#timer),
      connection.status.watch((status) => this.#onStatus(status)),
    ).dispose;
  }

  /** What the editor of a cell has, if it was given anything. */
  editorOf(cell: Cell | null): EquippedEditor | undefined {
    return cell?.editor ? this.#editors.get(cell.editor.editor) : undefined;
  }

  /** Goes to the next or the previous finding, in this cell or another one. */
  goToFinding(by: 1 | -1): { marks: EditorMarks; line: MarkedLine } | null {
    const { content } = this.notebook;
    const { widgets } = content;
    for (let at = content.activeCellIndex, isFirst = true; at >= 0 && at < widgets.length; at += by, isFirst = false) {
      const marks = this.#marks.get(widgets[at].model.id);
      const line = marks && this.editorOf(widgets[at])?.moveToFinding(by, !isFirst);
      if (!marks || !line) continue;
      content.activeCellIndex = at;
      content.mode = "edit";
      void content.scrollToItem?.(at);
      widgets[at].editor?.editor.focus();
      return { marks, line };
    }
    return null;
  }

  #onStatus(status: KernelStatus): void {
    const tapes = status.kind === "there" ? status.state.tapes : [];
    const there = new Set(tapes.map(({ number }) => number));
    for (const number of [...this.#asked]) if (!there.has(number)) this.#asked.delete(number);
    for (const number of [...this.#answers.keys()]) if (!there.has(number)) this.#answers.delete(number);
    this.#later();
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#sync(), PAUSE_MS);
  }

  get #current(): readonly Tape[] {
    const { value } = this.connection.status;
    return value.kind === "there" ? value.state.tapes.filter(({ current }) => current) : [];
  }

  #sync(): void {
    for (const { number } of this.#current) if (!this.#asked.has(number)) this.#ask(number);
    const marks = new Map<string, EditorMarks>();
    for (const { number } of this.#current) {
      const answer = this.#answers.get(number);
      for (const cell of answer?.cells ?? [])
        if (cell.cell !== "") marks.set(cell.cell, { ...cell, tape: number, names: answer!.names });
    }
    this.#marks = marks;
    for (const cell of this.notebook.content.widgets) if (cell.model.type === "code") this.#give(cell);
    this.findings.set(new Map([...this.#answers].map(([number, { findings }]) => [number, findings])));
  }

  #ask(tape: number): void {
    this.#asked.add(tape);
    this.connection.ask({ kind: "marks", tape, request: requestId() }, (data) => {
      if (data["error"] !== undefined) return;
      this.#answers.set(tape, data as unknown as TapeMarks);
      this.#later();
    });
  }

  #give(cell: Cell): void {
    const marks = this.#marks.get(cell.model.id) ?? null;
    if (!cell.editor) {
      if (marks) void cell.ready.then(() => this.#later());
      return;
    }
    const view = cell.editor.editor;
    let equipped = this.#editors.get(view);
    if (!equipped) {
      if (!marks) return;
      equipped = equipEditor(this.codemirror, view, this.options, this.actions);
      this.#editors.set(view, equipped);
    }
    if (sameMarks(this.#shown.get(equipped) ?? null, marks)) return;
    this.#shown.set(equipped, marks);
    equipped.show(marks);
  }
}

const sameMarks = (a: EditorMarks | null, b: EditorMarks | null): boolean =>
  a === b || (a !== null && b !== null && a.tape === b.tape && a.cell === b.cell && a.number === b.number);
