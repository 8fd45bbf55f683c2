/** A string, or an extension to JSON: a comment, or a comma before a closing bracket. */
const TOKEN =
  /"(?:[^"\\]|\\.)*"?|\/\/[^\n\r]*|\/\*[^]*?\*\/|,(?=(?:\s|\/\/[^\n\r]*|\/\*[^]*?\*\/)*[\]}])/g;

/** JSON with comments and trailing commas as JSON: blanks take their places, so that positions and lines stay. */
export function withoutComments(text: string): string {
  if (!text.includes("/") && !/,\s*[\]}]/.test(text)) return text;
  return text.replace(TOKEN, (token) => (token.startsWith('"') ? token : blanks(token)));
}

function blanks(text: string): string {
  return text.replace(/[^\n\r]/g, " ");
}
