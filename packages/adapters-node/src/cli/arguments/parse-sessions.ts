import { resolve } from "node:path";
import type { CliCommand, MoveCommand, OutputFormat } from "./commands.ts";
import { EXPORTED_FILES, IMPORTED_FILES, OUTPUT_FORMATS } from "./options.ts";
import type { Values } from "./parse-options.ts";
import { UsageError } from "./usage-error.ts";
import { oneOf } from "./values.ts";

/** @throws {UsageError} */
export function formatOf(values: Values): OutputFormat {
  return oneOf("--output-format", OUTPUT_FORMATS, values["output-format"]) ?? "text";
}

/** Parses what follows `robota sessions`. @throws {UsageError} */
export function parseSessions(words: readonly string[], values: Values, cwd: string): CliCommand {
  const [verb = "list", id, ...rest] = words;
  const outputFormat = formatOf(values);
  if (verb === "list" && id === undefined) return { name: "list-sessions", outputFormat };
  const command = id === undefined ? undefined : aboutSession(verb, id, rest, values, cwd);
  if (command) return command;
  throw new UsageError(`can't do "${["sessions", ...words].join(" ")}"`);
}

function aboutSession(
  verb: string,
  id: string,
  rest: readonly string[],
  values: Values,
  cwd: string,
): CliCommand | undefined {
  // A name may have several words; so does what is rewound.
  if (verb === "rename" && rest.length > 0)
    return { name: "rename-session", id, newName: rest.join(" ") };
  if (verb === "rewind") return { name: "rewind-session", id, words: [...rest] };
  if (rest.length > 0) return undefined;
  switch (verb) {
    case "show":
      return { name: "show-session", id, outputFormat: formatOf(values) };
    case "delete":
      return { name: "delete-session", id };
    case "replay":
      return { name: "replay-session", id };
    case "move":
      return moveOf(id, values, cwd);
    case "export":
      return {
        name: "export-session",
        id,
        files: oneOf("--files", EXPORTED_FILES, values.files),
        output: values.output === undefined ? undefined : resolve(cwd, values.output),
      };
    case "import":
      return {
        name: "import-session",
        source: id === "-" ? id : resolve(cwd, id),
        files: oneOf("--files", IMPORTED_FILES, values.files),
        cwd: resolve(cwd, values.cwd ?? ""),
      };
    default:
      return undefined;
  }
}

/** @throws {UsageError} */
function moveOf(id: string, { to, from, cwd: directory = "." }: Values, cwd: string): MoveCommand {
  const url = to ?? from;
  if (url === undefined || (to !== undefined && from !== undefined))
    throw new UsageError("sessions move needs either --to <url> or --from <url>");
  const direction = to === undefined ? "from" : "to";
  return { name: "move-session", id, direction, url, cwd: resolve(cwd, directory) };
}
