const named = new Map<string, number>();

/** A name that no other view of the page has: by them the landmarks of several are told apart. */
export function distinct(name: string): string {
  const times = (named.get(name) ?? 0) + 1;
  named.set(name, times);
  return times === 1 ? name : `${name} (${times})`;
}
