/** Two hexadecimal digits for each byte. */
export const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0"),
);

/** Each byte as shown in the text column of a dump. */
const SHOWN: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".",
);

export function printable(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += SHOWN[byte];
  return text;
}
