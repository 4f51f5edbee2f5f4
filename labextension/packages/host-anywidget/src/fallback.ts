/** Hides what stands in for the views on this page, with the row that JupyterLab puts it in; gives the way back. */
export function hideFallback(standIn: string): () => void {
  if (!standIn) return () => undefined;
  const style = document.createElement("style");
  style.textContent = `.${standIn}, .jp-OutputArea-child:has(.${standIn}) { display: none !important }`;
  document.head.append(style);
  return () => style.remove();
}
