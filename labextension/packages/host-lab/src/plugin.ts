// The one plugin: an item in each notebook's toolbar, one in the status bar (Notebook 7 has none), and the panel.
import { LOOP, Signal, TAPE, h, on, style, type LoopRequest, type TapeRequest } from "@tapeviz/core";
import type {
  App,
  SharedModules,
  NotebookPanel,
  Palette,
  Restorer,
  StatusBar,
  Toolbar,
  Tracker,
  Widget,
} from "./jupyterlab";
import css from "./lab.css";
import { KernelConnection } from "./kernelconnection";
import { Panel } from "./panel";
import { settingSwitches, type SwitchOptions } from "./switches";

const PANEL = "tapeviz-panel";
const TOGGLE = "tapeviz:toggle-panel";
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
  const optional = [modules.IStatusBar, modules.ICommandPalette, modules.ILayoutRestorer];
  return {
    id: "tapeviz:plugin",
    description: "Mode, device and the latest tape of the active notebook's kernel.",
    autoStart: true,
    requires: [modules.INotebookTracker],
    optional: optional.filter((token) => token !== undefined),
    activate(app: App, tracker: Tracker, ...given: unknown[]) {
      // In the order of `optional`, without those that the page has no module for.
      const [bar, palette, restorer] = optional.map((token) => (token === undefined ? null : given.shift()));
      new Extension(modules, app, tracker).start(bar as StatusBar, palette as Palette, restorer as Restorer);
    },
  };
}

class Extension {
  readonly #connections = new WeakMap<NotebookPanel, KernelConnection>();
  readonly #current = new Signal<KernelConnection | null>(null);
  readonly #name = new Signal("");
  readonly #switchOptions: SwitchOptions = {
    complain: (text) => void this.modules.Notification?.error(`tapeviz: ${text}`, { autoClose: SHOWN_MS }),
  };

  constructor(
    readonly modules: SharedModules,
    readonly app: App,
    readonly tracker: Tracker,
  ) {}

  start(bar: StatusBar | null, palette: Palette | null, restorer: Restorer | null): void {
    style(document, css);
    this.tracker.currentChanged.connect((_, notebook) => this.#activate(notebook));
    this.#activate(this.tracker.currentWidget);
    this.app.docRegistry.addWidgetExtension("Notebook", { createNew: (notebook) => this.#equip(notebook) });
    const panel = this.#panel();
    restorer?.add(panel, PANEL);
    const label = "Show or Hide the Latest Tape (tapeviz)";
    this.app.commands.addCommand(TOGGLE, { label, execute: () => this.#toggle(panel) });
    palette?.addItem({ command: TOGGLE, category: "Notebook Operations" });
    if (bar) this.#item(bar);
  }

  #toggle(panel: Widget): void {
    const { shell } = this.app;
    if (!panel.isVisible) shell.activateById(PANEL);
    else if (shell.collapseRight) shell.collapseRight();
    else shell.collapse?.("right");
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

  /** The toolbar's item, and a connection that ends with the notebook. */
  #equip(notebook: NotebookPanel): void {
    const connection = this.#connectionOf(notebook);
    const { element, dispose } = settingSwitches(new Signal<KernelConnection | null>(connection), {
      ...this.#switchOptions,
      absence: "",
    });
    const button = h("button", {
      type: "button",
      class: "tapeviz-show",
      title: "Show or hide the latest tape (tapeviz)",
    });
    button.append(icon(), h("span", { class: "tapeviz-name" }, "tape"));
    button.onclick = () => void this.app.commands.execute(TOGGLE);
    const node = h("div", { class: "tapeviz-toolbar" }, button, element);
    const widget = new this.modules.Widget({ node });
    // A strip in an output is another script's, which knows no kernel.
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
    place(notebook.toolbar, widget);
    notebook.context.pathChanged.connect((_, path) => {
      if (this.#current.value === connection) this.#name.set(nameOf(path));
    });
    notebook.disposed.connect(() => {
      held();
      opened();
      dispose();
      connection.dispose();
      if (this.#current.value === connection) this.#activate(null);
    });
  }

  #panel(): Widget {
    const panel = new Panel(this.#current, this.#name, this.#switchOptions);
    const widget = new this.modules.Widget({ node: panel.element });
    widget.id = PANEL;
    widget.title.caption = "tapeviz: the latest tape";
    widget.title.iconClass = "tapeviz-icon jp-SideBar-tabIcon";
    this.app.shell.add(widget, "right", { rank: 900 });
    return widget;
  }

  #item(bar: StatusBar): void {
    const { element } = settingSwitches(this.#current, { ...this.#switchOptions, absence: "tapeviz: " });
    const item = new this.modules.Widget({ node: h("div", { class: "tapeviz-status" }, icon(), element) });
    bar.registerStatusItem("tapeviz:status", {
      item,
      align: "right",
      rank: 900,
      isActive: () => this.tracker.currentWidget !== null,
      activeStateChanged: this.tracker.currentChanged,
    });
  }
}
