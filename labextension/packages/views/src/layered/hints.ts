import { format, h, on } from "@tapeviz/core";
import type { Camera, Size } from "./camera";
import type { LayeredScene } from "./scene";

const SIDES = [
  { side: "left", sign: "‹", dx: 0.75, dy: 0 },
  { side: "right", sign: "›", dx: -0.75, dy: 0 },
  { side: "top", sign: "⌃", dx: 0, dy: 0.75 },
  { side: "bottom", sign: "⌄", dx: 0, dy: -0.75 },
] as const;

/** Buttons at the four sides that say how many cards lie beyond, and go there. */
export class Hints {
  readonly #buttons;

  constructor(parent: HTMLElement, go: (dx: number, dy: number) => void) {
    this.#buttons = SIDES.map(({ side, sign, dx, dy }) => {
      const button = h("button", { type: "button", class: `tv-hint tv-${side}`, hidden: true });
      on(button, "click", () => go(dx, dy));
      parent.append(button);
      return { side, sign, button };
    });
  }

  update(scene: Pick<LayeredScene, "cards">, camera: Camera, view: Size): void {
    const beyond = cardsBeyond(scene, camera, view);
    for (const { side, sign, button } of this.#buttons) {
      const count = beyond[side];
      button.hidden = count === 0;
      if (count === 0) continue;
      button.textContent = side === "right" ? `${format.count(count)} ${sign}` : `${sign} ${format.count(count)}`;
      button.title = `${format.plural(count, "more card")}`;
      button.setAttribute("aria-label", `${format.plural(count, "more card")}: ${side}`);
    }
  }
}

/** How many cards have their middle beyond each side. */
export function cardsBeyond(
  { cards }: Pick<LayeredScene, "cards">,
  { k, x, y }: Camera,
  { width, height }: Size,
): Record<(typeof SIDES)[number]["side"], number> {
  const beyond = { left: 0, right: 0, top: 0, bottom: 0 };
  for (const card of cards) {
    const [middle, level] = [(card.x + card.w / 2) * k + x, (card.y + card.h / 2) * k + y];
    if (middle < 0) beyond.left += 1;
    else if (middle > width) beyond.right += 1;
    else if (level < 0) beyond.top += 1;
    else if (level > height) beyond.bottom += 1;
  }
  return beyond;
}
