// The user's settings (schema/plugin.json), as far as JupyterLab's registry gives them.
import { Signal } from "@tapeviz/core";
import type { EditorOptions } from "./editor";
import type { SettingRegistry } from "./jupyterlab";

export const PLUGIN = "tapeviz:plugin";

export class Preferences {
  readonly editor = new Signal<EditorOptions>(
    { gutter: true, hover: true },
    (a, b) => a.gutter === b.gutter && a.hover === b.hover,
  );
  /** Whether the panel opens the latest tape as it comes. */
  readonly follows = new Signal(true);

  async read(registry: SettingRegistry): Promise<void> {
    const settings = await registry.load(PLUGIN);
    const take = (): void => {
      const { gutter, hover, follow } = settings.composite;
      this.editor.set({ gutter: gutter !== false, hover: hover !== false });
      this.follows.set(follow !== false);
    };
    settings.changed.connect(take);
    take();
  }
}
