import { h } from "@tapeviz/core";

const NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * What an element of the shell shows, as an SVG: its text as text, its canvases as pixels. It holds all that it needs;
 * since the text is laid out by CSS, browsers show it and most editors of drawings do not.
 */
export function svgOf(element: HTMLElement, shell: HTMLElement): string {
  const sheets = (shell.getRootNode() as ShadowRoot).querySelectorAll("style[data-tapeviz]");
  const styles = [...sheets].map((sheet) => sheet.textContent).join("\n");
  const { width, height } = element.getBoundingClientRect();
  const frame = shell.cloneNode(false) as HTMLElement;
  frame.style.cssText += `;width:${width}px;height:${height}px;border:0;border-radius:0`;
  const copy = copyOf(element);
  copy.style.cssText += `;width:${width}px;height:${height}px`;
  frame.append(h("style", {}, styles), copy);
  const body = new XMLSerializer().serializeToString(frame);
  return (
    `<svg xmlns="${NAMESPACE}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `<foreignObject width="100%" height="100%">${body}</foreignObject></svg>`
  );
}

/** A copy in which each canvas is an image of what it shows, and what was scrolled is where it was. */
function copyOf(element: HTMLElement): HTMLElement {
  const copy = element.cloneNode(true) as HTMLElement;
  const originals = element.querySelectorAll("canvas");
  copy.querySelectorAll("canvas").forEach((canvas, i) => {
    const original = originals[i];
    const { width, height } = original.getBoundingClientRect();
    const image = h("img", { src: original.toDataURL(), class: canvas.className, alt: "" });
    image.style.cssText = `${canvas.style.cssText};width:${width}px;height:${height}px`;
    canvas.replaceWith(image);
  });
  const parts = [element, ...element.querySelectorAll<HTMLElement>("*")];
  [copy, ...copy.querySelectorAll<HTMLElement>("*")].forEach((part, i) => {
    const { scrollTop, scrollLeft } = parts[i] ?? {};
    if (!(scrollTop || scrollLeft)) return;
    for (const child of part.children)
      (child as HTMLElement).style.cssText += `;position:relative;top:${-scrollTop}px;left:${-scrollLeft}px`;
  });
  return copy;
}

/** An SVG of `svgOf` as the bytes of a PNG, at the resolution of the screen. */
export async function pngOf(svg: string): Promise<Uint8Array> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = Math.max(2, window.devicePixelRatio || 1);
  const canvas = h("canvas", { width: Math.round(image.width * scale), height: Math.round(image.height * scale) });
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((take) => canvas.toBlob(take, "image/png"));
  if (!blob) throw new Error("the browser gives no picture");
  return new Uint8Array(await blob.arrayBuffer());
}
