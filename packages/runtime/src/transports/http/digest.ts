/** The first 128 bits of a text's SHA-256, in hexadecimal: an id that is the same for the same text. */
export async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes, 0, 16), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
