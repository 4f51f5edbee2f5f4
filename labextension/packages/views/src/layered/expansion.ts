/** What the user opened and closed, by key. */
export interface ExpansionState {
  readonly opened: ReadonlySet<string>;
  readonly closed: ReadonlySet<string>;
}

export const NO_EXPANSION: ExpansionState = { opened: new Set(), closed: new Set() };

/** Never more cards than this are seen. */
export const MAX_CARDS = 400;
export const TOO_MANY_CARDS = `not opened: more than ${MAX_CARDS} cards would be seen; close another group first`;

export class UserExpansion implements ExpansionState {
  readonly opened = new Set<string>();
  readonly closed = new Set<string>();

  get isUsed(): boolean {
    return this.opened.size + this.closed.size > 0;
  }

  open(key: string): void {
    this.opened.add(key);
    this.closed.delete(key);
  }

  close(key: string): void {
    this.opened.delete(key);
    this.closed.add(key);
  }
}
