const PLACEHOLDER = /\$(?:ARGUMENTS|[1-9])(?![A-Za-z0-9_])/g;
const WORD = /"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g;

/**
 * The instructions of a skill with its arguments: `$ARGUMENTS` is all of them as they were typed, `$1` to `$9` are the
 * words, where quotes keep several together. One pass: inserted text is not expanded or run again.
 * Arguments that no placeholder takes follow at the end.
 */
export function withArguments(body: string, typed: string): string {
  const args = typed.trim();
  let isUsed = false;
  const words = wordsOf(args);
  const filled = body.replace(PLACEHOLDER, (placeholder) => {
    isUsed = true;
    const name = placeholder.slice(1);
    return name === "ARGUMENTS" ? args : (words[Number(name) - 1] ?? "");
  });
  return isUsed || args === "" ? filled : `${filled}\n\nArguments: ${args}`;
}

function wordsOf(text: string): string[] {
  return [...text.matchAll(WORD)].map(
    ([word, inQuotes, inSingle]) => inQuotes?.replace(/\\(.)/g, "$1") ?? inSingle ?? word,
  );
}
