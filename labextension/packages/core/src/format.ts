/** Numbers, sizes, times and shapes as people read them. The same functions serve labels, tooltips and text twins. */

const THIN = "\u202f";
const SUPER: Record<string, string> = {
  "-": "⁻",
  "0": "⁰",
  "1": "¹",
  "2": "²",
  "3": "³",
  "4": "⁴",
  "5": "⁵",
  "6": "⁶",
  "7": "⁷",
  "8": "⁸",
  "9": "⁹",
};

/** A whole number with thin spaces between thousands: 12345 -> "12 345". */
export function count(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, THIN);
}

/** A count with its noun: plural(1, "op") -> "1 op", plural(3, "op") -> "3 ops". */
export function plural(n: number, noun: string, many = `${noun}s`): string {
  return `${count(n)} ${Math.round(n) === 1 ? noun : many}`;
}

/** Three significant digits; powers of ten outside 0.001 ... 99 999; "NaN", "+inf", "−inf" spelled out. */
export function number(x: number, digits = 3): string {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "+inf" : "−inf";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size < 1e-3 || size >= 1e5) return power(x, digits);
  const text = size >= 10 ** digits ? x.toFixed(0) : String(Number(x.toPrecision(digits)));
  return text.replace("-", "−");
}

function power(x: number, digits: number): string {
  const [mantissa = "0", exponent = "0"] = x.toExponential(digits - 1).split("e");
  const raised = String(Number(exponent)).replace(/./g, (c) => SUPER[c] ?? c);
  return `${String(Number(mantissa)).replace("-", "−")}×10${raised}`;
}

function scaled(value: number, units: readonly string[], factor: number): string {
  let unit = 0;
  let rest = value;
  while (Math.abs(rest) >= factor * 0.9995 && unit < units.length - 1) {
    rest /= factor;
    unit += 1;
  }
  return `${number(rest)} ${units[unit]}`;
}

/** A time given in ns: 1234 -> "1.23 µs". */
export function duration(ns: number): string {
  return scaled(ns, ["ns", "µs", "ms", "s"], 1000);
}

/**
 * Labels for moments on an axis, `step` ns apart: alike in unit, and with as many decimals as tell them apart. Where that
 * would be many, the first is a moment and the others are what comes on top: "2.65 s", "+20 µs".
 */
export function moments(ticks: readonly number[], step: number): string[] {
  const most = Math.max(...ticks.map(Math.abs), 1);
  const unit = most >= 1e9 ? 1e9 : most >= 1e6 ? 1e6 : most >= 1e3 ? 1e3 : 1;
  const name = { 1: "ns", 1e3: "µs", 1e6: "ms", 1e9: "s" }[unit];
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));
  if (decimals <= 3) return ticks.map((t) => `${(t / unit).toFixed(t === 0 ? 0 : decimals)} ${name}`);
  return ticks.map((t, i) => (i === 0 ? `${(t / unit).toFixed(3)} ${name}` : `+${duration(t - ticks[0])}`));
}

/** A size given in bytes: 8192 -> "8 KiB". */
export function bytes(n: number): string {
  return scaled(n, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
}

/** A part of a whole: 0.1234 -> "12 %". */
export function percent(part: number): string {
  const value = part * 100;
  return `${value > 0 && value < 1 ? "<1" : value.toFixed(0)} %`;
}

/** A shape: [32, 64] -> "32×64", [] -> "scalar". */
export function shape(dims: readonly number[]): string {
  return dims.length === 0 ? "scalar" : dims.map((d) => (d < 0 ? "?" : String(d))).join("×");
}

/** A shape and a dtype as in TensorFlow's own words: "(32, 64) float32". */
export function spec(dims: readonly number[], dtype: string): string {
  return `(${dims.join(", ")}${dims.length === 1 ? "," : ""}) ${dtype}`;
}
