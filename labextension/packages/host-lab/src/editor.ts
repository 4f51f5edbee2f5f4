// What an editor of a cell shows of the tape: a gutter beside the lines that ran, and a tip at the names. It is CodeMirror's
// to draw; an editor gets it the first time that something is known of its cell.
import { glyphIcon, h, SEVERITIES, Signal } from "@tapeviz/core";
import type { CodeMirror, EditorState, EditorView, Extension, Field, Tooltip } from "./codemirror";
import { linesNow, saidOf, signOf, type EditorMarks, type KnownName, type MarkedLine } from "./marks";

const PATHS: Record<string, string> = {
  nan: "M3.5 1.5l4.5 4.5l4.5-4.5l2 2l-4.5 4.5l4.5 4.5l-2 2l-4.5-4.5l-4.5 4.5l-2-2l4.5-4.5l-4.5-4.5z",
  none: "M8 2a6 6 0 1 1 0 12a6 6 0 1 1 0-12zM8 4a4 4 0 1 0 0 8a4 4 0 1 0 0-8zM2 13.2l11.2-11.2l.8.8l-11.2 11.2z",
  vanishing: "M1.5 3h13l-6.5 11zM4.9 5l3.1 5.4l3.1-5.4z",
  exploding: "M1.5 13h13l-6.5-11zM4.9 11l3.1-5.4l3.1 5.4z",
  grade1: SEVERITIES[1].path,
  grade2: SEVERITIES[2].path,
  grade3: SEVERITIES[3].path,
  slowest: "M3 1h10v2c0 2-2 3.5-3.2 5c1.2 1.5 3.2 3 3.2 5v2h-10v-2c0-2 2-3.5 3.2-5c-1.2-1.5-3.2-3-3.2-5z",
};
const DELAY_MS = 400;

export interface EditorOptions {
  readonly gutter: boolean;
  readonly hover: boolean;
}

export interface EditorActions {
  /** A line's mark was clicked. */
  readonly choose: (marks: EditorMarks, line: MarkedLine) => void;
}

/** What one editor was given. */
export interface EquippedEditor {
  show(marks: EditorMarks | null): void;
  /** Opens the tip of the name at the cursor; false: nothing is known of it. */
  tellName(): boolean;
  /** Moves the cursor to the next line with a finding, and says it; null: there is none that way. */
  moveToFinding(by: 1 | -1, fromStart: boolean): MarkedLine | null;
}

interface Shown {
  readonly marks: EditorMarks | null;
  /** By the number that a line has now. */
  readonly lines: ReadonlyMap<number, MarkedLine>;
  readonly isEdited: boolean;
  readonly ranges: object;
}

/** Equips an editor, once. */
export function equipEditor(
  cm: CodeMirror,
  view: EditorView,
  options: Signal<EditorOptions>,
  actions: EditorActions,
): EquippedEditor {
  const setMarks = cm.StateEffect.define<EditorMarks | null>();
  const setTip = cm.StateEffect.define<Tooltip | null>();
  const marker = markerClass(cm);
  const field = cm.StateField.define<Shown>({
    create: (state) => shownIn(cm, state, null, marker),
    update: (shown, transaction) => {
      const effect = transaction.effects.find((e) => e.is(setMarks as never));
      const marks = effect ? (effect.value as EditorMarks | null) : shown.marks;
      return effect || transaction.docChanged ? shownIn(cm, transaction.state, marks, marker) : shown;
    },
  });
  const tip = cm.StateField.define<Tooltip | null>({
    create: () => null,
    update: (now, transaction) => {
      const effect = transaction.effects.find((e) => e.is(setTip as never));
      if (effect) return effect.value as Tooltip | null;
      return transaction.docChanged || transaction.selection ? null : now;
    },
    provide: (own) => cm.showTooltip.from(own),
  });
  const shown = (): Shown | undefined => view.state.field(field, false);
  const compartment = new cm.Compartment();
  const parts = (marks: EditorMarks | null): Extension => {
    const { gutter, hover } = options.value;
    const hovering = cm.hoverTooltip((_, position) => tipAt(cm, view.state, shown(), position), {
      hoverTime: DELAY_MS,
    });
    return marks === null ? [] : [...(gutter ? [gutterOf(cm, field, actions)] : []), ...(hover ? [hovering] : [])];
  };
  view.dispatch({ effects: cm.StateEffect.appendConfig.of([field, tip, compartment.of([])]) });
  const show = (marks: EditorMarks | null): void => {
    view.dispatch({ effects: [setMarks.of(marks), compartment.reconfigure(parts(marks))] });
  };
  options.on(() => show(shown()?.marks ?? null));
  // The tip that the keyboard opened goes with the key that closes everything.
  view.dom.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && view.state.field(tip, false)) view.dispatch({ effects: setTip.of(null) });
  });
  return {
    show,
    tellName: () => {
      const found = tipAt(cm, view.state, shown(), view.state.selection.main.head);
      if (!found) return false;
      const text = [...found.create().dom.children].map((part) => part.textContent).join(", ");
      view.dispatch({ effects: [setTip.of(found), cm.EditorView.announce.of(text)] });
      return true;
    },
    moveToFinding: (by, fromStart) => {
      const there = [...(shown()?.lines ?? [])]
        .filter(([, line]) => line.findings.length > 0)
        .sort(([a], [b]) => a - b);
      const { doc, selection } = view.state;
      const at = fromStart ? (by > 0 ? 0 : Infinity) : doc.lineAt(selection.main.head).number;
      const next = by > 0 ? there.find(([n]) => n > at) : there.reverse().find(([n]) => n < at);
      if (!next) return null;
      const said = `Line ${next[0]}: ${saidOf(next[1]).join(". ")}`;
      view.dispatch({
        selection: { anchor: doc.line(next[0]).from },
        scrollIntoView: true,
        effects: cm.EditorView.announce.of(said),
      });
      return next[1];
    },
  };
}

type MarkerClass = new (line: MarkedLine, said: string) => { range(from: number): object };

function markerClass(cm: CodeMirror): MarkerClass {
  return class extends cm.GutterMarker {
    constructor(
      readonly line: MarkedLine,
      readonly said: string,
    ) {
      super();
    }
    eq(other: { said?: string; line?: MarkedLine }): boolean {
      return other.said === this.said && other.line?.part === this.line.part;
    }
    toDOM(): Node {
      return markOf(this.line, this.said);
    }
  } as unknown as MarkerClass;
}

/** The sign, and under it how long the line took beside the slowest one. */
function markOf(line: MarkedLine, said: string): HTMLElement {
  const sign = signOf(line);
  const bar = h("span", { class: "tapeviz-mark-time" });
  bar.style.width = `${Math.round(100 * line.part)}%`;
  return h(
    "span",
    { class: "tapeviz-mark", "data-sign": sign, role: "img", "aria-label": said.replace(/\n/g, "; "), title: said },
    sign !== "" && glyphIcon(PATHS[sign], "currentColor", 11),
    line.part > 0 && bar,
  );
}

function shownIn(cm: CodeMirror, state: EditorState, marks: EditorMarks | null, Marker: MarkerClass): Shown {
  const lines = new Map<number, MarkedLine>();
  if (!marks) return { marks, lines, isEdited: false, ranges: cm.RangeSet.of([], true) };
  const ran = marks.text.split("\n").map((text) => text.trimEnd());
  const now = Array.from({ length: state.doc.lines }, (_, i) => state.doc.line(i + 1).text.trimEnd());
  const isEdited = marks.text.trim() !== state.doc.toString().trim();
  const places = linesNow(ran, now);
  for (const line of marks.lines) if (places[line.line - 1]) lines.set(places[line.line - 1], line);
  const run = `Run [${marks.number}]${isEdited ? ", and the cell was edited since" : ""}`;
  const ranges = [...lines].map(([number, line]) =>
    new Marker(line, [...saidOf(line), run].join("\n")).range(state.doc.line(number).from),
  );
  return { marks, lines, isEdited, ranges: cm.RangeSet.of(ranges, true) };
}

function gutterOf(cm: CodeMirror, field: Field<Shown>, actions: EditorActions): Extension {
  const empty = cm.RangeSet.of([], true);
  const choose = (view: EditorView, at: { from: number }): boolean => {
    const shown = view.state.field(field, false);
    const line = shown?.lines.get(view.state.doc.lineAt(at.from).number);
    if (!shown?.marks || !line) return false;
    actions.choose(shown.marks, line);
    return true;
  };
  return cm.gutter({
    class: "tapeviz-gutter",
    markers: (view) => view.state.field(field, false)?.ranges ?? empty,
    domEventHandlers: { click: choose },
  });
}

/** The tip of the name at a place in the code; null where there is none, or where nothing is known of it. */
function tipAt(cm: CodeMirror, state: EditorState, shown: Shown | undefined, position: number): Tooltip | null {
  if (!shown?.marks) return null;
  for (const side of [1, -1]) {
    const { name: kind, from, to } = cm.syntaxTree(state).resolveInner(position, side);
    if (kind !== "VariableName") continue;
    const name = state.doc.toString().slice(from, to);
    const known = Object.hasOwn(shown.marks.names, name) ? shown.marks.names[name] : undefined;
    const { marks, isEdited } = shown;
    if (known) return { pos: from, end: to, above: true, create: () => ({ dom: tipOf(name, known, marks, isEdited) }) };
  }
  return null;
}

function tipOf(name: string, known: KnownName, marks: EditorMarks, isEdited: boolean): HTMLElement {
  const [what, ...facts] = known.facts;
  const when = `as it was last in run [${marks.number}]${isEdited ? "; the cell was edited since" : ""}`;
  return h(
    "div",
    { class: "tapeviz-tip", role: "tooltip" },
    h("div", {}, h("code", {}, name), ` ${what}`),
    ...facts.map((fact) => h("div", {}, fact)),
    h("div", { class: "tapeviz-tip-when" }, [known.made, when].filter(Boolean).join(", ")),
  );
}
