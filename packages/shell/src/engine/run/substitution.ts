import { concatBytes } from "@robota/runtime/ports";
import type { ExpansionHost } from "../expand/expansion.ts";
import { createParser } from "../parse/parser.ts";
import { ShellSyntaxError } from "../parse/syntax-error.ts";
import type { List } from "../syntax/tree.ts";
import type { CommandSubstitution, ProcessSubstitution } from "../syntax/word.ts";
import { decodeShellText } from "../text/bytes.ts";
import { Channel } from "./channel.ts";
import { OpenDescription } from "./descriptors.ts";
import { filesOf, forkProcess, type Process, runBeside } from "./process.ts";

const FIRST_DESCRIPTOR = 63;

/** The expansions of words in a process. */
export function hostOf(process: Process): ExpansionHost {
  return {
    state: process.state,
    bounds: process.run.budget,
    files: filesOf(process),
    substitute: (part) => substitute(process, part),
    startProcess: (part) => startProcess(process, part),
  };
}

/** Runs a body in a process of its own, in the line that it stands in. */
function runBody(child: Process, body: List | { readonly source: string }): Promise<number> {
  const { interpreter } = child.run;
  return interpreter.finish(child, () =>
    "source" in body
      ? interpreter.runText(child, body.source, { firstLine: child.state.line })
      : interpreter.runList(child, body),
  );
}

async function substitute(process: Process, { body }: CommandSubstitution): Promise<string> {
  const short = await readFileOf(process, body);
  if (short !== undefined) return withoutNewlines(short);
  const chunks: Uint8Array[] = [];
  const output = new OpenDescription({
    write(bytes) {
      process.run.budget.output(bytes.length);
      chunks.push(bytes);
      return undefined;
    },
  });
  const child = forkProcess(process);
  if (!child.state.options.has("inherit_errexit")) child.state.options.delete("errexit");
  await child.descriptors.set(1, output);
  child.state.traceLevel++;
  process.substitutionStatus = await runBody(child, body);
  // Known to the expansions behind it: `echo $(false) $?`.
  process.state.status = process.substitutionStatus;
  return withoutNewlines(concatBytes(chunks));
}

function withoutNewlines(bytes: Uint8Array): string {
  // Bash drops NULs from substitutions.
  return decodeShellText(bytes).replaceAll("\0", "").replace(/\n+$/, "");
}

/** The content of the file of `$(<file)`. */
async function readFileOf(
  process: Process,
  body: CommandSubstitution["body"],
): Promise<Uint8Array | undefined> {
  const list = "source" in body ? parsed(body.source) : body;
  const [item, ...others] = list?.items ?? [];
  const [command] = item?.first.commands ?? [];
  if (!item || others.length > 0 || item.rest.length > 0 || item.first.commands.length > 1)
    return undefined;
  if (command?.type !== "simple" || command.words.length + command.assignments.length > 0)
    return undefined;
  const [redirection, ...more] = command.redirections;
  if (redirection?.operator !== "<" || redirection.descriptor !== undefined || more.length > 0)
    return undefined;
  const child = forkProcess(process);
  let content: Uint8Array | undefined;
  process.substitutionStatus = await process.run.interpreter.finish(child, async () => {
    const status = await process.run.interpreter.openRedirections(child, [redirection]);
    if (status === 0) content = await child.descriptors.get(0)?.readAll();
    return status;
  });
  return content ?? new Uint8Array();
}

/** The first line of a source; `undefined` for one that the process that runs it reports. */
function parsed(source: string): List | undefined {
  try {
    return createParser(source).next();
  } catch (error) {
    if (error instanceof ShellSyntaxError) return undefined;
    throw error;
  }
}

/** Starts the commands of `<(…)` or `>(…)` beside this process. */
async function startProcess(
  process: Process,
  { direction, body }: ProcessSubstitution,
): Promise<string> {
  const channel = new Channel();
  const reader = new OpenDescription({
    read: () => channel.read(),
    close: () => channel.closeReader(),
  });
  const writer = new OpenDescription({
    write: (bytes) => channel.write(bytes),
    close: () => channel.closeWriter(),
    hasReader: () => channel.hasReader,
  });
  const child = forkProcess(process);
  await child.descriptors.set(direction === "<" ? 1 : 0, direction === "<" ? writer : reader);
  child.state.traceLevel++;
  let number = FIRST_DESCRIPTOR;
  while (process.descriptors.get(number)) number--;
  await process.descriptors.set(number, direction === "<" ? reader : writer);
  process.opened.push(number);
  runBeside(process.run, runBody(child, body));
  return `/dev/fd/${number}`;
}
