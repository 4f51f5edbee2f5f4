import { h } from "@tapeviz/core";

/** Copies text; where the page may not use the clipboard, by way of a selected text field. */
export async function copy(text: string, near: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = h("textarea", { "aria-hidden": "true", style: "position:fixed;opacity:0" }, text);
    near.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

/** Offers bytes as a file of the browser's download folder. */
export function save(bytes: Uint8Array, name: string): void {
  const url = URL.createObjectURL(new Blob([bytes as BlobPart], { type: "application/octet-stream" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
