import { STATES, ERROR, hatch, mix, type Theme } from "@tapeviz/core";
import type { Camera } from "../layered/camera";
import { drawArrowhead, onScreen, curvePath } from "../layered/curves";
import type { Pen } from "../layered/paint";
import type { Edge } from "./layout";
import { edgeWidth, normColor } from "./scale";

const WITHOUT: ReadonlySet<string> = new Set(["none", "unasked", "unseen"]);

export type Emphasis = "plain" | "dim" | "strong";

/** Draws a connection: hatched and as wide as the gradient that comes back, on it the thin line that goes forward. */
export function drawEdge(pen: Pen, edge: Edge, camera: Camera, theme: Theme, emphasis: Emphasis): void {
  const points = onScreen(edge.points, camera);
  pen.globalAlpha = emphasis === "dim" ? 0.25 : 1;
  const { gradient } = edge;
  const flows = gradient !== null && !WITHOUT.has(gradient.state);
  if (flows) ribbon(pen, edge, points, camera, theme);
  pen.strokeStyle =
    emphasis === "strong" ? theme.accent : flows ? theme.text : gradient === null ? theme.edge : theme.muted;
  pen.lineWidth = emphasis === "strong" ? 2 : 1;
  pen.setLineDash(gradient !== null && !flows && gradient.state !== "unseen" ? [1.5, 4] : []);
  pen.lineCap = "round";
  curvePath(pen, points);
  pen.stroke();
  pen.setLineDash([]);
  pen.lineCap = "butt";
  if (camera.k > 0.35) drawArrowhead(pen, points.at(-2)!, points.at(-1)!, pen.strokeStyle);
  pen.globalAlpha = 1;
}

function ribbon(pen: Pen, { gradient }: Edge, points: readonly number[], { k }: Camera, theme: Theme): void {
  const { state, norm } = gradient!;
  const color = theme.forced ? theme.text : state === "nan" ? ERROR.color : normColor(norm, theme.dark);
  const width = Math.max(1.5, edgeWidth(gradient!) * Math.min(1, k * 1.1));
  curvePath(pen, points);
  pen.lineWidth = width + 2;
  pen.strokeStyle = mix(color, theme.text, 0.8);
  pen.stroke();
  pen.lineWidth = width;
  const [fill, stripe] = [mix(color, theme.background, 0.3), mix(color, theme.background, 0.85)];
  pen.strokeStyle = theme.forced ? theme.background : hatch(pen, fill, stripe, "/", 5);
  pen.stroke();
  if (k > 0.35) back(pen, points[0], points[1], width, theme.forced ? color : mix(color, theme.text, 0.8));
  if (state === "zero" && k > 0.5) label(pen, points, STATES.zero.glyph, theme);
}

/** The arrow at the end of what comes back. */
function back(pen: Pen, x: number, y: number, width: number, color: string): void {
  const half = width / 2 + 3;
  pen.fillStyle = color;
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + 7, y - half);
  pen.lineTo(x + 7, y + half);
  pen.fill();
}

function label(pen: Pen, points: readonly number[], text: string, theme: Theme): void {
  const [x, y] = [points[2] + 8, points[3]];
  pen.fillStyle = theme.background;
  pen.fillRect(x - 5, y - 7, 10, 14);
  pen.fillStyle = theme.text;
  pen.textAlign = "center";
  pen.fillText(text, x, y);
}

/** The two halves of a broken connection: dashed in the colour of faults. */
export function drawBroken(pen: Pen, edge: Edge, camera: Camera, theme: Theme, emphasis: Emphasis): void {
  pen.globalAlpha = emphasis === "dim" ? 0.35 : 1;
  pen.strokeStyle = theme.fault;
  pen.lineWidth = emphasis === "strong" ? 2 : 1.5;
  pen.setLineDash([5, 4]);
  curvePath(pen, onScreen(edge.points, camera));
  pen.stroke();
  pen.setLineDash([]);
  pen.globalAlpha = 1;
}
