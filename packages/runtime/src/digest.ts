const encoder = new TextEncoder();

/** SHA-256 in hex; a text is hashed as UTF-8. */
export async function sha256(content: Uint8Array | string): Promise<string> {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  // Ports never return a view of shared memory.
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
