export { MAGIC } from "./codec";
export { FormatError } from "./errors";
export * from "./figures";
export { select, type Selection } from "./filter";
export { FilterError, KEYS, parseFilter, type Term } from "./grammar";
export * from "./queries";
export * from "./recording";
export * from "./tables.gen";
