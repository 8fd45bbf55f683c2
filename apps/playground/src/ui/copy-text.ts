/** Copies a text. Resolves to false where a page gets no clipboard, as over plain HTTP, or the browser refuses it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
