// The one plugin: an item in each notebook's toolbar, the panel, the marks in editors, and commands. What a page has no
// module for is left out: Voila has no notebooks to work in, and is left alone.
import {
  LOOP,
  Signal,
  TAPE,
  askSelect,
  h,
  on,
  style,
  type Dispose,
  type LoopRequest,
  type TapeRequest,
} from "@tapeviz/core";
import { CellMarks } from "./cellmarks";
import { TOGGLE, addCommands } from "./commands";
import type {
  App,
  NotebookPanel,
  Palette,
  Restorer,
  SettingRegistry,
  SharedModules,
  Toolbar,
  Tracker,
  Widget,
} from "./jupyterlab";
import css from "./lab.css";
import { KernelConnection } from "./kernelconnection";
import { targetOf, type EditorMarks, type MarkedLine } from "./marks";
import { Panel } from "./panel";
import { PLUGIN, Preferences } from "./preferences";
import { settingSwitches, type SwitchOptions } from "./switches";
import type { SettingName } from "./state";

const PANEL = "tapeviz-panel";
const SHOWN_MS = 10_000;
const nameOf = (path: string): string => path.split("/").pop() ?? path;

const icon = (): HTMLElement => h("span", { class: "tapeviz-icon", "aria-hidden": "true" });

/** Puts the item behind the list of cell types, which in Notebook 7 is there later than the toolbar. */
function place(toolbar: Toolbar, widget: Widget, attempts = 40): void {
  if (toolbar.isDisposed || widget.isDisposed) return;
  const ready = [...toolbar.names()].includes("cellType");
  if (ready) toolbar.insertAfter("cellType", "tapeviz", widget);
  else if (attempts === 0) toolbar.insertItem(10, "tapeviz", widget);
  else setTimeout(() => place(toolbar, widget, attempts - 1), 50);
}

export function plugin(modules: SharedModules): unknown {
  const optional = [
    modules.INotebookTracker,
    modules.ICommandPalette,
    modules.ILayoutRestorer,
    modules.ISettingRegistry,
  ];
  return {
    id: PLUGIN,
    description: "Mode, device, tapes and marks of the active notebook's kernel.",
    autoStart: true,
    requires: [],
    optional: optional.filter((token) => token !== undefined),
    activate(app: App, ...given: unknown[]) {
      // In the order of `optional`, without those that the page has no module for.
      const [tracker, palette, restorer, settings] = optional.map((token) =>
        token === undefined ? null : (given.shift() ?? null),
      );
      if (!tracker) return;
      const extension = new Extension(modules, app, tracker as Tracker);
      extension.start(palette as Palette | null, restorer as Restorer | null, settings as SettingRegistry | null);
    },
  };
}

class Extension {
  readonly #connections = new WeakMap<NotebookPanel, KernelConnection>();
  readonly #marks = new WeakMap<KernelConnection, CellMarks>();
  readonly #preferences = new Preferences();
  readonly #current = new Signal<KernelConnection | null>(null);
  readonly #name = new Signal("");
  readonly #clicks = new WeakMap<MarkedLine, number>();
  readonly #switchOptions: SwitchOptions = {
    absence: "",
    complain: (text) => void this.modules.Notification?.error(`tapeviz: ${text}`, { autoClose: SHOWN_MS }),
  };
  readonly #panel = new Panel(
    this.#current,
    this.#name,
    this.#preferences.follows,
    (connection) => this.#marks.get(connection)?.findings,
    this.#switchOptions,
  );

  constructor(
    readonly modules: SharedModules,
    readonly app: App,
    readonly tracker: Tracker,
  ) {}

  start(palette: Palette | null, restorer: Restorer | null, settings: SettingRegistry | null): void {
    style(document, css);
    this.tracker.currentChanged.connect((_, notebook) => this.#activate(notebook));
    this.#activate(this.tracker.currentWidget);
    this.app.docRegistry.addWidgetExtension("Notebook", { createNew: (notebook) => this.#equip(notebook) });
    const panel = this.#addPanel();
    restorer?.add(panel, PANEL);
    addCommands(this.app, palette, {
      notebook: () => this.tracker.currentWidget,
      togglePanel: () => this.#toggle(panel),
      goToFinding: (by) => this.#goToFinding(by),
      tellName: () => this.#tellName(),
      chooseNext: (what) => this.#chooseNext(what),
    });
    // Without a schema, as where the extension was put by hand, the defaults hold.
    if (settings) void this.app.restored.then(() => this.#preferences.read(settings)).catch(() => undefined);
  }

  #toggle(panel: Widget): void {
    const { shell } = this.app;
    if (!panel.isVisible) shell.activateById(PANEL);
    else if (shell.collapseRight) shell.collapseRight();
    else shell.collapse?.("right");
  }

  #goToFinding(by: 1 | -1): void {
    const connection = this.#current.value;
    const found = connection && this.#marks.get(connection)?.goToFinding(by);
    if (found) askSelect({ widget: this.#widgetOf(found.marks), ...targetOf(found.line, 0) });
  }

  #tellName(): void {
    const connection = this.#current.value;
    const cell = this.tracker.currentWidget?.content.activeCell ?? null;
    if (connection) this.#marks.get(connection)?.editorOf(cell)?.tellName();
  }

  #chooseNext(what: SettingName): void {
    const status = this.#current.value?.status.value;
    if (status?.kind !== "there") return;
    const { word, choices } = status.state.settings[what];
    const there = choices.filter((choice) => choice.there).map((choice) => choice.word);
    const next = there[(there.indexOf(word) + 1) % there.length];
    void this.#current.value?.choose(what, next).then((wrong) => wrong && this.#switchOptions.complain(wrong));
  }

  #widgetOf(marks: EditorMarks): string {
    const status = this.#current.value?.status.value;
    const tapes = status?.kind === "there" ? status.state.tapes : [];
    return tapes.find(({ number }) => number === marks.tape)?.widget ?? "";
  }

  /** A mark was clicked: its op is selected in the view below the cell; where there is none, in the panel. */
  #choose(marks: EditorMarks, line: MarkedLine): void {
    const click = this.#clicks.get(line) ?? 0;
    this.#clicks.set(line, click + 1);
    const target = targetOf(line, click);
    const isTaken = askSelect({ widget: this.#widgetOf(marks), ...target });
    if (!isTaken) this.app.shell.activateById(PANEL);
    if (!isTaken || this.#panel.isOpen) this.#panel.open(marks.tape, target);
  }

  #connectionOf(notebook: NotebookPanel): KernelConnection {
    const connection = this.#connections.get(notebook) ?? new KernelConnection(notebook.sessionContext);
    this.#connections.set(notebook, connection);
    return connection;
  }

  #activate(notebook: NotebookPanel | null): void {
    this.#current.set(notebook && this.#connectionOf(notebook));
    this.#name.set(notebook ? nameOf(notebook.context.path) : "");
  }

  /** The toolbar's item and the marks, and a connection that ends with the notebook. */
  #equip(notebook: NotebookPanel): void {
    const connection = this.#connectionOf(notebook);
    const { element, dispose } = settingSwitches(new Signal<KernelConnection | null>(connection), this.#switchOptions);
    const title = "Show or hide the tapes (tapeviz)";
    const button = h("button", { type: "button", class: "tapeviz-show", title });
    button.append(icon(), h("span", { class: "tapeviz-name" }, "tape"));
    button.onclick = () => void this.app.commands.execute(TOGGLE);
    place(notebook.toolbar, new this.modules.Widget({ node: h("div", { class: "tapeviz-toolbar" }, button, element) }));
    const undo = [answerStrips(notebook, connection), dispose, this.#mark(notebook, connection)];
    notebook.context.pathChanged.connect((_, path) => {
      if (this.#current.value === connection) this.#name.set(nameOf(path));
    });
    notebook.disposed.connect(() => {
      for (const each of undo) each();
      connection.dispose();
      if (this.#current.value === connection) this.#activate(null);
    });
  }

  #mark(notebook: NotebookPanel, connection: KernelConnection): Dispose {
    if (!this.modules.codemirror) return () => undefined;
    const actions = { choose: (marks: EditorMarks, line: MarkedLine) => this.#choose(marks, line) };
    const marks = new CellMarks(this.modules.codemirror, notebook, connection, this.#preferences.editor, actions);
    this.#marks.set(connection, marks);
    marks.findings.on(() => this.#panel.refresh());
    return marks.dispose;
  }

  #addPanel(): Widget {
    const widget = new this.modules.Widget({ node: this.#panel.element });
    widget.id = PANEL;
    widget.title.caption = "tapeviz: the tapes of this notebook";
    widget.title.iconClass = "tapeviz-icon jp-SideBar-tabIcon";
    this.app.shell.add(widget, "right", { rank: 900 });
    return widget;
  }
}

/** Delivers what widgets in outputs ask: they are another script's, which knows no kernel. */
function answerStrips(notebook: NotebookPanel, connection: KernelConnection): Dispose {
  const held = on<CustomEvent<LoopRequest>>(notebook.node, LOOP, (event) => {
    event.preventDefault();
    const { loop, what, answer } = event.detail;
    if (what === "" || connection.waits) answer(connection.waits);
    else void connection.hold(loop, what).then(answer);
  });
  const opened = on<CustomEvent<TapeRequest>>(notebook.node, TAPE, (event) => {
    if (connection.waits) return;
    event.preventDefault();
    connection.ask(event.detail.message, event.detail.reply);
  });
  return () => {
    held();
    opened();
  };
}
