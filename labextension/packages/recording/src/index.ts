export { MAGIC } from "./codec";
export { FormatError } from "./errors";
export * from "./recording";
export * from "./tables.gen";
