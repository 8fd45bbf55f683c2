/** Places to look for the beginning of the last statement, from the end. */
const MOST_PLACES = 200;
/** What promises come from. A program without any of it is left alone. */
const PROMISES = /\basync\b|\bPromise\b|\.then\b/;
/** Beginnings that continue a value before them, unless that is no value. */
const CONTINUES = /^\s*[([`+\-/]/;
/** Beginnings that are expressions in parentheses, and none as statements. */
const DECLARES = /^\s*(?:\{|class\b|(?:async\s+)?function\b)/;

/** Reports whether QuickJS reads a text as whole statements. */
type Parses = (text: string) => boolean;

/**
 * Passes the value of a program's last statement to a function named `__settle`, when that statement is an expression,
 * such as `main();`, or the last one of an `if`. QuickJS tells nobody of a promise that is rejected while nothing waits for
 * it, so that a program whose checks fail in an async function would end as if they had passed. Lines keep their numbers.
 */
export function settlingLast(program: string, parses: Parses): string {
  if (!PROMISES.test(program)) return program;
  const code = withoutEnd(program);
  const last = startOfLast(code, parses);
  // The block of a condition, without which that is no statement.
  const isBlock = /^\s*\{/.test(code.slice(last)) && !parses(code.slice(0, last));
  const inner = isBlock ? withoutEnd(code.slice(0, -1)) : code;
  const start = isBlock ? startOfLast(inner, parses, "}") : last;
  const expression = inner.slice(start);
  if (start === undefined || DECLARES.test(expression) || !parses(`return (${expression}\n)`))
    return program;
  const settling = `${inner.slice(0, start)}__settle(${expression}\n)${program.slice(inner.length)}`;
  // A comment may look like the last statement.
  return parses(settling) ? settling : program;
}

/** The program without the semicolons, spaces and comments at its end. */
function withoutEnd(program: string): string {
  const lines = program.split("\n");
  while (lines.length > 1 && /^\s*(?:\/\/.*)?$/.test(lines.at(-1) ?? "")) lines.pop();
  // A string that looks as if it ended in a comment costs no more than the look at its statement.
  return lines.join("\n").replace(/[\s;]*(?:;[ \t]*\/\/.*)?$/, "");
}

/** The place of the last statement, behind which `end` closes the block that it is in. */
function startOfLast(code: string, parses: Parses, end = ""): number | undefined {
  const parsesBefore: Parses = (text) => parses(text + end);
  let places = 0;
  for (let at = code.length - 1; at >= 0 && places < MOST_PLACES; at--) {
    if (at > 0 && !/[\n;{})]/.test(code.charAt(at - 1))) continue;
    places += 1;
    const [before, last] = [code.slice(0, at), code.slice(at)];
    if (parses(last) && isWhole(before, last, parsesBefore)) return at;
  }
  return undefined;
}

/** True when `last` is a statement of its own behind `before`, and does not continue one. */
function isWhole(before: string, last: string, parses: Parses): boolean {
  // A member fits behind a value, where a parenthesis would be a call; behind a block or a semicolon, neither does.
  if (parses(before)) return !CONTINUES.test(last) || !parses(`${before}\n.member`);
  // The condition of an `if`, which needs a statement.
  return /\)\s*$/.test(before) && parses(`${before} 0`);
}
