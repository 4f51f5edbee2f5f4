import { contrast, textColor, luminance, mix, parse } from "./color";
import { on } from "./dom";
import { Disposer, Signal, type Dispose } from "./signal";

/** The colours and fonts that canvases paint with; the DOM uses the same ones as `--tv-*` variables. */
export interface Theme {
  readonly dark: boolean;
  readonly forced: boolean;
  /** True where motion has to be kept away. */
  readonly still: boolean;
  /** The page, a raised surface, a quiet band. */
  readonly background: string;
  readonly surface: string;
  readonly band: string;
  /** Text, quieter text (still 4.5:1), hair lines, stronger lines, outlines of coloured shapes. */
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly edge: string;
  readonly outline: string;
  /** Selection and focus, hover, and three severities. */
  readonly accent: string;
  readonly hover: string;
  readonly info: string;
  readonly warn: string;
  readonly fault: string;
  readonly sans: string;
  readonly mono: string;
}

const SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
const MONO =
  'ui-monospace, "SF Mono", "Cascadia Code", "Roboto Mono", "DejaVu Sans Mono", "Liberation Mono", monospace';

const LIGHT = {
  text: "#1b1f24",
  muted: "#59626d",
  accent: "#0b5cad",
  hover: "#3b4754",
  info: "#0b5cad",
  warn: "#8a5a00",
  fault: "#b3400a",
};
const DARK = {
  text: "#e7eaee",
  muted: "#a3adb8",
  accent: "#6fb4f5",
  hover: "#c9d1da",
  info: "#7fbdf7",
  warn: "#f2b84b",
  fault: "#ff9a5c",
};

/** Builds a theme on a background colour; pure, so that its contrasts are tested with numbers. */
export function themeOn(background: string, still = false): Theme {
  const rgb = parse(background) ?? [255, 255, 255];
  const dark = luminance(rgb) < 0.18;
  const ground = dark ? "#ffffff" : "#0d1b2a";
  const words = dark ? DARK : LIGHT;
  return {
    dark,
    forced: false,
    still,
    background,
    ...words,
    surface: mix(ground, background, dark ? 0.055 : 0.025),
    band: mix(ground, background, dark ? 0.09 : 0.05),
    line: mix(ground, background, dark ? 0.16 : 0.11),
    edge: mix(ground, background, dark ? 0.4 : 0.42),
    outline: dark ? mix("#ffffff", background, 0.55) : mix("#0d1b2a", background, 0.62),
    sans: SANS,
    mono: MONO,
  };
}

/** System colours, for people whose system forces its own. */
function forcedTheme(still: boolean): Theme {
  return {
    dark: matches("(prefers-color-scheme: dark)"),
    forced: true,
    still,
    background: "Canvas",
    surface: "Canvas",
    band: "Canvas",
    text: "CanvasText",
    muted: "CanvasText",
    line: "GrayText",
    edge: "CanvasText",
    outline: "CanvasText",
    accent: "Highlight",
    hover: "Highlight",
    info: "CanvasText",
    warn: "CanvasText",
    fault: "CanvasText",
    sans: SANS,
    mono: MONO,
  };
}

const matches = (query: string): boolean => window.matchMedia(query).matches;

// The first that the page defines wins: JupyterLab and Notebook 7, VS Code, Colab.
const BACKGROUNDS = ["--jp-layout-color0", "--vscode-editor-background", "--colab-primary-surface-color"];

/** The colour behind `element`: what the notebook says, else what is painted there, else the reader's preference. */
function backgroundOf(element: Element): string {
  const computed = getComputedStyle(element);
  for (const name of BACKGROUNDS) {
    const value = computed.getPropertyValue(name);
    if (parse(value)) return value.trim();
  }
  for (let at: Element | null = element; at; at = outside(at)) {
    const value = getComputedStyle(at).backgroundColor;
    if (parse(value)) return value;
  }
  return matches("(prefers-color-scheme: dark)") ? "#16191d" : "#ffffff";
}

/** The element around another one, out of shadow roots too. */
function outside(element: Element): Element | null {
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}

/** Puts the theme's colours on an element as `--tv-*` variables. */
export function applyTheme(element: HTMLElement, theme: Theme): void {
  for (const [name, value] of Object.entries(theme)) {
    if (typeof value === "string") element.style.setProperty(`--tv-${name}`, value);
  }
  element.style.setProperty("--tv-on-accent", theme.forced ? "HighlightText" : textColor(theme.accent));
  element.style.colorScheme = theme.dark ? "dark" : "light";
  element.dataset["scheme"] = theme.forced ? "forced" : theme.dark ? "dark" : "light";
}

/** The theme of an element, following the notebook's and the system's changes. */
export function followTheme(element: HTMLElement): { theme: Signal<Theme>; dispose: Dispose } {
  const read = (): Theme => {
    const still = matches("(prefers-reduced-motion: reduce)");
    return matches("(forced-colors: active)")
      ? forcedTheme(still)
      : themeOn(backgroundOf(outside(element) ?? element), still);
  };
  const theme = new Signal<Theme>(read(), (a, b) => JSON.stringify(a) === JSON.stringify(b));
  const update = (): void => theme.set(read());
  const observer = new MutationObserver(update);
  observer.observe(document.body, { attributes: true });
  observer.observe(document.documentElement, { attributes: true });
  const disposer = new Disposer().add(
    () => observer.disconnect(),
    theme.watch((value) => applyTheme(element, value)),
  );
  for (const query of ["(prefers-color-scheme: dark)", "(prefers-reduced-motion: reduce)", "(forced-colors: active)"]) {
    disposer.add(on(window.matchMedia(query), "change", update));
  }
  // A notebook sets its theme's variables after its attributes: look once more when both are there.
  const later = setTimeout(update, 300);
  disposer.add(() => clearTimeout(later));
  return { theme, dispose: disposer.dispose };
}

/** The lowest contrast of the theme's texts on its surfaces. */
export function lowestContrast(theme: Theme): number {
  const texts = [theme.text, theme.muted, theme.accent, theme.info, theme.warn, theme.fault];
  return Math.min(...texts.flatMap((t) => [theme.background, theme.surface, theme.band].map((b) => contrast(t, b))));
}
