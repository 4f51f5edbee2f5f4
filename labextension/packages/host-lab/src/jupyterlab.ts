// The part of JupyterLab 4 and Notebook 7 that is used here. Written down instead of installed: their packages weigh
// hundreds of megabytes, and would be there for the types alone. A test in a real JupyterLab holds it to the truth.

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

export interface NotebookPanel extends Widget {
  readonly node: HTMLElement;
  readonly sessionContext: SessionContext;
  readonly toolbar: Toolbar;
  readonly context: { readonly path: string; readonly pathChanged: JupyterSignal<string> };
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

export interface App {
  readonly shell: Shell;
  readonly commands: {
    addCommand(id: string, options: { label: string; caption?: string; execute: () => void }): unknown;
    execute(id: string): Promise<unknown>;
  };
  readonly docRegistry: {
    addWidgetExtension(
      kind: string,
      extension: { createNew(panel: NotebookPanel): { dispose(): void } | void },
    ): unknown;
  };
}

export interface StatusBar {
  registerStatusItem(
    id: string,
    item: {
      item: Widget;
      align: string;
      rank: number;
      isActive: () => boolean;
      activeStateChanged: JupyterSignal<unknown>;
    },
  ): unknown;
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
  readonly INotebookTracker: unknown;
  readonly IStatusBar?: unknown;
  readonly ICommandPalette?: unknown;
  readonly ILayoutRestorer?: unknown;
  readonly Notification?: { error(text: string, options: { autoClose: number }): unknown };
}
