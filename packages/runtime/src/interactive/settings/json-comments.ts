// Each expression takes time linear in the text, which a stranger's project may have written.

/** A string, or a comment. One that does not end reaches to the end of the text, and stays. */
const STRING_OR_COMMENT = /"(?:[^"\\]|\\.)*"?|\/\/[^\n\r]*|\/\*[^]*?(?:\*\/|$)/g;
/** A string, or a comma before a closing bracket. */
const STRING_OR_LAST_COMMA = /"(?:[^"\\]|\\.)*"?|,(?=\s*[\]}])/g;

/** JSON with comments and trailing commas as JSON: blanks take their places, so that positions and lines stay. */
export function withoutComments(text: string): string {
  if (!text.includes("/") && !/,\s*[\]}]/.test(text)) return text;
  return text
    .replace(STRING_OR_COMMENT, (token) => (isComment(token) ? blanks(token) : token))
    .replace(STRING_OR_LAST_COMMA, (token) => (token === "," ? " " : token));
}

function isComment(token: string): boolean {
  return (
    token.startsWith("//") || (token.length > 3 && token.startsWith("/*") && token.endsWith("*/"))
  );
}

function blanks(text: string): string {
  return text.replace(/[^\n\r]/g, " ");
}
