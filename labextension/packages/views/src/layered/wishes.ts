/** What the user opened and closed, by key. */
export interface Wishes {
  readonly opened: ReadonlySet<string>;
  readonly closed: ReadonlySet<string>;
}

export const NO_WISHES: Wishes = { opened: new Set(), closed: new Set() };

/** Never more cards than this are seen. */
export const MOST = 400;
export const TOO_MANY = `not opened: more than ${MOST} cards would be seen; close another group first`;

export class OpenAndClosed implements Wishes {
  readonly opened = new Set<string>();
  readonly closed = new Set<string>();

  open(key: string): void {
    this.opened.add(key);
    this.closed.delete(key);
  }

  close(key: string): void {
    this.opened.delete(key);
    this.closed.add(key);
  }
}
