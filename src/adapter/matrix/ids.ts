/** An id of Matrix: it begins with this sign, has no blanks, and is no longer than ids are. */
export function id(value: unknown, sign: "@" | "!" | "$"): string | undefined {
  return typeof value === "string" &&
    value.startsWith(sign) &&
    value.length > 1 &&
    value.length <= 255 &&
    !/[\s\p{Cc}]/u.test(value) &&
    value.isWellFormed()
    ? value
    : undefined;
}
