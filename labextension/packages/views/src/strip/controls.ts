// The buttons that hold a training while its cell runs.
import { askLoop, h, on } from "@tapeviz/core";
import type { Strip } from "./data";

const BUTTONS: readonly (readonly [what: string, text: string, title: string])[] = [
  ["pause", "Pause", "Wait before the next UNIT"],
  ["step", "1 UNIT", "Do one UNIT and wait"],
  ["ten", "10 UNITs", "Do ten UNITs and wait"],
  ["snapshot", "Snapshot", "Keep a tape: its dot opens it"],
  ["stop", "Stop", "End before the next UNIT"],
];
const ELSEWHERE = "only JupyterLab with the tapeviz extension delivers clicks while a cell runs";

export class Controls {
  readonly element = h("div", { class: "tvs-controls", role: "group", "aria-label": "Training" });
  readonly #reason = h("span", { class: "tv-muted" });
  readonly #buttons = BUTTONS.map(([what, text, title]) => {
    const button = h("button", { type: "button", title }, text);
    on(button, "click", () => this.#click(what));
    return button;
  });
  #loop = 0;
  #isPaused = false;
  #asked = 0;

  constructor() {
    this.element.append(...this.#buttons, this.#reason);
    this.element.hidden = true;
  }

  update({ progress, loop, unit }: Strip): void {
    const isPaused = progress?.state === "paused";
    this.element.hidden = !(isPaused || progress?.state === "running") || loop === 0;
    if (this.element.hidden) return;
    this.#isPaused = isPaused;
    for (const [i, [, text, title]] of BUTTONS.entries()) {
      const said = [text, title].map((words) => words.replace("UNIT", unit));
      const [name, hint] = isPaused && i === 0 ? ["Resume", "Go on"] : said;
      if (this.#buttons[i].textContent !== name) this.#buttons[i].textContent = name;
      this.#buttons[i].title = hint;
    }
    this.#loop = loop;
    // An extension may come later than the strip; a kernel may lose its comms.
    const now = performance.now();
    if (now - this.#asked < 500) return;
    this.#asked = now;
    if (!askLoop(this.element, { loop, what: "", answer: (why) => this.#enable(why) })) this.#enable(ELSEWHERE);
  }

  #click(what: string): void {
    const asked = what === "pause" && this.#isPaused ? "resume" : what;
    askLoop(this.element, { loop: this.#loop, what: asked, answer: (wrong) => this.#say(wrong) });
  }

  #enable(why: string): void {
    for (const button of this.#buttons) button.disabled = why !== "";
    this.#say(why);
  }

  #say(text: string): void {
    this.#reason.textContent = text;
  }
}
