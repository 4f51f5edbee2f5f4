/** Bytes that are no recording; its message is one line that says what is wrong. */
export class FormatError extends Error {
  override readonly name = "FormatError";
}
