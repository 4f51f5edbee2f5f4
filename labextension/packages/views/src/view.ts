import type { Disposer, KeyBindings, Selection, Signal, Theme } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import type { Experiments } from "./experiments";
import type { Problem } from "./problems";

/** A message to the kernel or from it: plain JSON and bytes. */
export interface Message {
  readonly kind: string;
  readonly [field: string]: unknown;
}

export interface Answer {
  readonly message: Message;
  readonly buffers: readonly Uint8Array[];
}

/** What a view is given. It lives as long as the view is mounted. */
export interface ViewContext {
  readonly recording: Recording;
  /** Counts up when further frames arrived: draw again. */
  readonly changed: Signal<number>;
  /** The one selection: what is selected, hovered, and a dragged range of time. */
  readonly selection: Selection;
  /** The finding that was gone to, until something else is selected. */
  readonly finding?: Signal<Problem | null>;
  /** One flag an event row: 1 where the filter box matches; null when it is empty. Dim the others, never hide them. */
  readonly matches: Signal<Uint8Array | null>;
  readonly theme: Signal<Theme>;
  /** The text in the filter box, for what is found by other means than events; undefined where there is no box. */
  readonly filter?: Signal<string>;
  /** Goes to another view, by its id; undefined where a view stands alone. */
  readonly show?: (view: string) => void;
  /** Keys while this view is mounted: bind "f", "+", "-" and your own; add the dispose to yours. */
  readonly keys: KeyBindings;
  /** Asks the kernel for data that is not in the recording; undefined when there is no kernel (HTML file, fixture). */
  readonly request?: (message: Message) => Promise<Answer>;
  /** Runs of the program with other values, and what else is found by running it; undefined where a view stands alone. */
  readonly experiments?: Experiments;
  /** Copies text, and says so; undefined where a view stands alone. */
  readonly copy?: (text: string) => void;
  /** Says something to screen readers. */
  readonly announce: (text: string) => void;
}

export interface View {
  /** As in the `view` trait and in `#tv-view-...`. */
  readonly id: string;
  readonly title: string;
  /** The key that switches to it, "1" to "7". */
  readonly key: string;
  /** Whether a recording has what this view shows; it always has where this is left out. */
  readonly fits?: (recording: Recording) => boolean;
  /** True of a view that says itself what the inspector would: it has the whole width until that is asked for. */
  readonly wide?: boolean;
  /** Fills `root` (a block that has a size) and gives the way to remove everything again. */
  readonly mount: (root: HTMLElement, context: ViewContext) => () => void;
  /** The same in words: complete, ordered, readable aloud and with `grep`; a page of it where it has some. Pure: no DOM. */
  readonly text: (context: TextContext, page?: number) => string;
  /** How many pages the text has now, and which has what is selected; one where this is left out. */
  readonly pages?: (context: TextContext) => Pages;
}

export type TextContext = Pick<ViewContext, "recording" | "selection" | "matches" | "filter">;

export interface Pages {
  readonly count: number;
  /** Counted from 0; -1 where nothing of the text is selected. */
  readonly selected: number;
}

/** The pages of a list of which one entry is selected: so many entries a page. */
export const pagesOf = (entries: number, selected: number, size: number): Pages => ({
  count: Math.max(1, Math.ceil(entries / size)),
  selected: selected < 0 ? -1 : Math.floor(selected / size),
});

/** Redraws on whatever a drawing depends on; the usual beginning of a mount. */
export function redrawOnChange(disposer: Disposer, context: ViewContext, redraw: () => void): void {
  const { selection, theme, matches, changed } = context;
  disposer.add(
    selection.selected.on(redraw),
    selection.hovered.on(redraw),
    selection.range.on(redraw),
    theme.on(redraw),
    matches.on(redraw),
    changed.on(redraw),
  );
}
