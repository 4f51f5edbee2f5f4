export { readDiff } from "./data";
export { mountDiff, type DiffOptions } from "./view";
