/** The nesting depth of brackets outside of strings, computed without recursion and before anything is built. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let index = 0; index < text.length; index++) {
    const char = text[index];
    if (isText) {
      if (char === "\\") index += 1;
      else if (char === '"') isText = false;
    } else if (char === '"') {
      isText = true;
    } else if (char === "{" || char === "[") {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (char === "}" || char === "]") {
      depth -= 1;
    }
  }
  return deepest;
}
