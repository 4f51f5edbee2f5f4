/** The part of anywidget's model that is used here. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, listener: (...args: never[]) => void): void;
  off(event: string, listener: (...args: never[]) => void): void;
  send(message: unknown): void;
}

export type Rendered = (() => void) | undefined;
