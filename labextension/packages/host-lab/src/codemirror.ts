// The part of CodeMirror 6 that is used here, written down for the same reason as JupyterLab's: pages share their one copy.

export interface Line {
  readonly from: number;
  readonly to: number;
  readonly number: number;
  readonly text: string;
}

export interface Text {
  readonly lines: number;
  readonly length: number;
  line(number: number): Line;
  lineAt(position: number): Line;
  toString(): string;
}

export interface EditorState {
  readonly doc: Text;
  readonly selection: { readonly main: { readonly head: number } };
  field<T>(field: Field<T>, required: false): T | undefined;
}

export interface Effect {
  is(type: EffectType<unknown>): boolean;
  readonly value: unknown;
}

export interface EffectType<T> {
  of(value: T): Effect;
}

export interface Transaction {
  readonly docChanged: boolean;
  readonly selection?: unknown;
  readonly effects: readonly Effect[];
  readonly state: EditorState;
}

/** Something that an editor's state is made of; what is inside is CodeMirror's. */
export type Extension = object | readonly Extension[];
export interface Field<T> {
  readonly valueType?: T;
}

export interface EditorView {
  readonly state: EditorState;
  readonly dom: HTMLElement;
  dispatch(change: {
    effects?: Effect | readonly Effect[];
    selection?: { anchor: number };
    scrollIntoView?: boolean;
  }): void;
  focus(): void;
}

export interface Tooltip {
  readonly pos: number;
  readonly end?: number;
  readonly above?: boolean;
  readonly create: () => { dom: HTMLElement };
}

export interface SyntaxNode {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

export interface CodeMirror {
  readonly EditorView: { announce: EffectType<string> };
  readonly GutterMarker: new () => object;
  readonly StateEffect: {
    define<T>(): EffectType<T>;
    readonly appendConfig: EffectType<Extension>;
  };
  readonly StateField: {
    define<T>(spec: {
      create: (state: EditorState) => T;
      update: (value: T, transaction: Transaction) => T;
      provide?: (field: Field<T>) => Extension;
    }): Field<T>;
  };
  readonly RangeSet: { of(ranges: readonly object[], sort: boolean): object };
  readonly Compartment: new () => { of(extension: Extension): Extension; reconfigure(extension: Extension): Effect };
  gutter(config: {
    class: string;
    markers: (view: EditorView) => object;
    domEventHandlers: Record<string, (view: EditorView, line: { from: number }, event: Event) => boolean>;
  }): Extension;
  hoverTooltip(source: (view: EditorView, position: number) => Tooltip | null, options: object): Extension;
  readonly showTooltip: { from<T>(field: Field<T>): Extension };
  syntaxTree(state: EditorState): { resolveInner(position: number, side: number): SyntaxNode };
}

/** What is borrowed, by the module that has it. */
export const CODEMIRROR: Record<string, readonly string[]> = {
  "@codemirror/view": ["EditorView", "GutterMarker", "gutter", "hoverTooltip", "showTooltip"],
  "@codemirror/state": ["StateEffect", "StateField", "RangeSet", "Compartment"],
  "@codemirror/language": ["syntaxTree"],
};
