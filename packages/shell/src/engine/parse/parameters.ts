import type { Parameter, ParameterOperation, Word, WordPart } from "../syntax/word.ts";
import type { Scanner } from "./scanner.ts";
import { readWordIn } from "./words.ts";

const PARAMETER = /[A-Za-z_]\w*|\d+|[@*#?$!-]/y;
const PLACES: ReadonlyMap<string, "all" | "prefix" | "suffix"> = new Map([
  ["/", "all"],
  ["#", "prefix"],
  ["%", "suffix"],
]);
const TRANSFORMS = "UuLQEPAKak";

/** Reads what follows `${`, up to and including the `}`. */
export function readBraced(scanner: Scanner, isQuoted: boolean): Parameter {
  const start = scanner.at - 2;
  const parsed = readParameter(scanner, isQuoted);
  if (parsed && scanner.accept("}")) {
    return { type: "parameter", ...parsed, text: scanner.text.slice(start, scanner.at) };
  }
  // Not a form that bash knows, which is an error only when it is expanded.
  readWordIn(scanner, { quoting: isQuoted ? "double" : "none", ends: "}" });
  if (!scanner.accept("}")) scanner.failUnclosed("}", start);
  const text = scanner.text.slice(start, scanner.at);
  return { type: "parameter", name: "", text, isIndirect: false, operation: { type: "bad" } };
}

type Parsed = Omit<Parameter, "type" | "text">;

function readParameter(scanner: Scanner, isQuoted: boolean): Parsed | undefined {
  if (scanner.peek() === "#" && scanner.peek(1) !== "}") {
    const length = readLength(scanner);
    if (length) return length;
  }
  const isIndirect =
    scanner.peek() === "!" &&
    /[A-Za-z_\d#@*?$!-]/.test(scanner.peek(1)) &&
    !isBangOperator(scanner);
  if (isIndirect) scanner.at++;
  const name = scanner.match(PARAMETER)?.[0];
  if (name === undefined) return undefined;
  scanner.at += name.length;
  const subscript = readSubscript(scanner, name);
  if (isIndirect) {
    const listed = readListing(scanner, name, subscript);
    if (listed) return listed;
  }
  const operation = readOperation(scanner, isQuoted);
  return { name, subscript, isIndirect, operation };
}

/** `${!-x}` and `${!?x}` are about `$!`, though `${!-}` could be read as an indirection. */
function isBangOperator(scanner: Scanner): boolean {
  return "-?".includes(scanner.peek(1)) && scanner.peek(2) !== "}";
}

/** `${#name}`; nothing is read when it is another form, such as `${#:-x}`. */
function readLength(scanner: Scanner): Parsed | undefined {
  const start = scanner.at;
  scanner.at++;
  const name = scanner.match(PARAMETER)?.[0];
  if (name !== undefined) {
    scanner.at += name.length;
    const subscript = readSubscript(scanner, name);
    if (scanner.peek() === "}")
      return { name, subscript, isIndirect: false, operation: { type: "length" } };
  }
  scanner.at = start;
  return undefined;
}

/** `${!prefix*}`, `${!prefix@}` and `${!name[@]}`. */
function readListing(
  scanner: Scanner,
  name: string,
  subscript: Parameter["subscript"],
): Parsed | undefined {
  const next = scanner.peek();
  if ((next === "*" || next === "@") && scanner.peek(1) === "}") {
    scanner.at++;
    return { name, subscript: next, isIndirect: false, operation: { type: "names" } };
  }
  if ((subscript === "@" || subscript === "*") && next === "}")
    return { name, subscript, isIndirect: false, operation: { type: "keys" } };
  return undefined;
}

function readSubscript(scanner: Scanner, name: string): Parameter["subscript"] {
  if (scanner.peek() !== "[" || !/^[A-Za-z_]/.test(name)) return undefined;
  const start = scanner.at++;
  const word = readWordIn(scanner, { quoting: "none", ends: "]}", brackets: "[]" });
  if (word.parts.length === 0) {
    scanner.at = start;
    return undefined;
  }
  if (!scanner.accept("]")) {
    if (scanner.isAtEnd()) scanner.failUnclosed("}", start);
    return undefined;
  }
  const [part] = word.parts;
  const isList = word.parts.length === 1 && part?.type === "text" && !part.isQuoted;
  return isList && (part.text === "@" || part.text === "*") ? part.text : word;
}

/** The text of a subscript, up to its `]`. */
export function readSubscriptWord(scanner: Scanner): Word {
  return readWordIn(scanner, { quoting: "none", ends: "]", brackets: "[]" });
}

function readOperation(scanner: Scanner, isQuoted: boolean): ParameterOperation | undefined {
  const character = scanner.peek();
  if (character === "}" || character === "") return undefined;
  if (character === ":" && !"-=?+".includes(scanner.peek(1) || ":")) return readSubstring(scanner);
  if (":-=?+".includes(character)) return readDefault(scanner, isQuoted);
  if (character === "#" || character === "%") {
    const isLongest = scanner.peek(1) === character;
    scanner.at += isLongest ? 2 : 1;
    const side = character === "#" ? "prefix" : "suffix";
    return { type: "trim", side, isLongest, pattern: readPattern(scanner, "}") };
  }
  if (character === "/") return readReplace(scanner);
  if ("^,~".includes(character)) {
    const operator = scanner.peek(1) === character ? character + character : character;
    scanner.at += operator.length;
    const pattern = scanner.peek() === "}" ? undefined : readPattern(scanner, "}");
    return { type: "case", operator, pattern };
  }
  const letter = scanner.peek(1);
  if (character !== "@" || letter === "" || scanner.peek(2) !== "}" || !TRANSFORMS.includes(letter))
    return undefined;
  scanner.at += 2;
  return { type: "transform", letter };
}

function readDefault(scanner: Scanner, isQuoted: boolean): ParameterOperation {
  const hasColon = scanner.accept(":");
  const symbol = scanner.peek();
  scanner.at++;
  const word = readWordIn(scanner, {
    quoting: isQuoted ? "double" : "none",
    ends: "}",
    hasProcesses: !isQuoted,
  });
  const types = { "-": "default", "=": "assign", "?": "error", "+": "alternative" } as const;
  return { type: types[symbol as keyof typeof types], hasColon, word };
}

function readPattern(scanner: Scanner, ends: string): Word {
  return readWordIn(scanner, { quoting: "none", ends });
}

function readSubstring(scanner: Scanner): ParameterOperation {
  scanner.at++;
  const offset = readExpression(scanner);
  const length = scanner.accept(":") ? readExpression(scanner) : undefined;
  return { type: "substring", offset, length };
}

/** An arithmetic expression that ends at `:`, except for the one of `?:`, or at `}`. */
function readExpression(scanner: Scanner): Word {
  const { at } = scanner;
  const parts: WordPart[] = [];
  for (let choices = 0; ; choices--) {
    const piece = readWordIn(scanner, { quoting: "none", ends: ":}", brackets: "()" });
    parts.push(...piece.parts);
    choices += piece.parts.reduce(
      (count, part) => count + (part.type === "text" ? part.text.split("?").length - 1 : 0),
      0,
    );
    if (choices <= 0 || !scanner.accept(":")) return { parts, at };
    parts.push({ type: "text", text: ":", isQuoted: false });
  }
}

function readReplace(scanner: Scanner): ParameterOperation {
  scanner.at++;
  const place = PLACES.get(scanner.peek()) ?? "first";
  if (place !== "first") scanner.at++;
  // A slash at once is what to look for, as in `${path////:}`.
  const slash = place === "all" && scanner.accept("/") ? "/" : "";
  const rest = readPattern(scanner, "/}");
  const begun: WordPart[] = slash === "" ? [] : [{ type: "text", text: slash, isQuoted: false }];
  const pattern = { ...rest, parts: [...begun, ...rest.parts] };
  const { at } = scanner;
  const replacement = scanner.accept("/") ? readPattern(scanner, "}") : { parts: [], at };
  return { type: "replace", place, pattern, replacement };
}
