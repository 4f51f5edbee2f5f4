// The part of JupyterLab 4 and Notebook 7 that is used here. Written down instead of installed: their packages weigh
// hundreds of megabytes, and would be there for the types alone. A test in a real JupyterLab holds it to the truth.

import type { CodeMirror, EditorView } from "./codemirror";

export interface JupyterSignal<A> {
  connect(slot: (sender: unknown, args: A) => void): void;
  disconnect(slot: (sender: unknown, args: A) => void): void;
}

export interface KernelMessage {
  readonly header: { readonly msg_type: string };
  readonly content: Record<string, unknown>;
  readonly buffers?: readonly (ArrayBuffer | ArrayBufferView)[];
}

export interface Comm {
  onMsg: (message: KernelMessage) => void;
  onClose: (message: KernelMessage) => void;
  readonly isDisposed: boolean;
  readonly commsOverSubshells?: string;
  readonly subshellStarted?: Promise<void>;
  open(data: Record<string, unknown>): unknown;
  send(data: Record<string, unknown>): unknown;
  close(): unknown;
}

export interface Kernel {
  readonly info: Promise<{ readonly language_info: { readonly name: string } }>;
  readonly handleComms: boolean;
  readonly supportsSubshells?: boolean;
  readonly isDisposed: boolean;
  createComm(target: string): Comm;
  requestExecute(content: Record<string, unknown>): { readonly done: Promise<KernelMessage> };
}

export interface SessionContext {
  readonly session: { readonly kernel: Kernel | null } | null;
  readonly kernelChanged: JupyterSignal<unknown>;
  readonly statusChanged: JupyterSignal<string>;
  readonly iopubMessage: JupyterSignal<KernelMessage>;
}

export interface Widget {
  id: string;
  readonly node: HTMLElement;
  readonly title: { label: string; caption: string; iconClass: string };
  readonly disposed: JupyterSignal<void>;
  readonly isDisposed: boolean;
  readonly isVisible: boolean;
  addClass(name: string): void;
}

export interface Toolbar {
  readonly isDisposed: boolean;
  names(): Iterable<string>;
  insertAfter(at: string, name: string, widget: Widget): boolean;
  insertItem(index: number, name: string, widget: Widget): boolean;
}

export interface CellModel {
  readonly id: string;
  readonly type: string;
  readonly sharedModel: { getSource(): string; setSource(text: string): void };
}

export interface Cell {
  readonly node: HTMLElement;
  readonly model: CellModel;
  readonly ready: Promise<void>;
  /** CodeMirror's view is in JupyterLab's editor; there is none while the cell is far off the page. */
  readonly editor: { readonly editor: EditorView } | null;
}

/** The notebook itself, in the panel with its toolbar. */
export interface NotebookContent {
  readonly widgets: readonly Cell[];
  readonly activeCell: Cell | null;
  activeCellIndex: number;
  mode: "command" | "edit";
  readonly model: { readonly cells: { readonly changed: JupyterSignal<unknown> } } | null;
  readonly modelContentChanged: JupyterSignal<unknown>;
  scrollToItem?(index: number): Promise<void>;
}

export interface NotebookPanel extends Widget {
  readonly content: NotebookContent;
  readonly node: HTMLElement;
  readonly sessionContext: SessionContext;
  readonly toolbar: Toolbar;
  readonly context: {
    readonly path: string;
    readonly pathChanged: JupyterSignal<string>;
    readonly ready: Promise<void>;
  };
}

export interface Tracker {
  readonly currentWidget: NotebookPanel | null;
  readonly currentChanged: JupyterSignal<NotebookPanel | null>;
}

export interface Shell {
  add(widget: Widget, area: string, options?: { rank?: number }): void;
  activateById(id: string): void;
  /** JupyterLab's, and Notebook's. */
  collapseRight?(): void;
  collapse?(area: string): void;
}

export interface CommandOptions {
  readonly label: string;
  readonly caption?: string;
  readonly isEnabled?: () => boolean;
  readonly execute: () => unknown;
}

export interface App {
  /** When what was open is open again. */
  readonly restored: Promise<void>;
  readonly shell: Shell;
  readonly commands: {
    addCommand(id: string, options: CommandOptions): unknown;
    addKeyBinding(binding: { command: string; keys: readonly string[]; selector: string }): unknown;
    execute(id: string): Promise<unknown>;
  };
  readonly docRegistry: {
    addWidgetExtension(
      kind: string,
      extension: { createNew(panel: NotebookPanel): { dispose(): void } | void },
    ): unknown;
  };
}

/** The user's settings of one plugin, as its schema describes them. */
export interface PluginSettings {
  readonly composite: Readonly<Record<string, unknown>>;
  readonly changed: JupyterSignal<unknown>;
}

export interface SettingRegistry {
  load(plugin: string): Promise<PluginSettings>;
}

export interface Palette {
  addItem(item: { command: string; category: string }): unknown;
}

export interface Restorer {
  add(widget: Widget, name: string): void;
}

/** What the page lends to its extensions, as far as it is there. */
export interface SharedModules {
  readonly Widget: new (options: { node: HTMLElement }) => Widget;
  /** Not there in Voila. */
  readonly INotebookTracker?: unknown;
  readonly ISettingRegistry?: unknown;
  readonly ICommandPalette?: unknown;
  readonly ILayoutRestorer?: unknown;
  readonly codemirror?: CodeMirror;
  readonly Notification?: { error(text: string, options: { autoClose: number }): unknown };
}
