import { FileSystemError, resolvePath } from "@robota/runtime/ports";
import { expandText, expandWords } from "../expand/words.ts";
import { parseDocument } from "../parse/parser.ts";
import { ShellSyntaxError } from "../parse/syntax-error.ts";
import { assignVariable, ExpansionError, readVariable } from "../state/access.ts";
import type { Redirection } from "../syntax/tree.ts";
import type { Word } from "../syntax/word.ts";
import { encodeShellText } from "../text/bytes.ts";
import { inputOf, type OpenDescription } from "./descriptors.ts";
import { describeFileError } from "../../files/file-errors.ts";
import { filesOf, openFilesOf, type Process } from "./process.ts";
import { hostOf } from "./substitution.ts";

/** A redirection that can't be opened; the command does not run. */
export class RedirectionError extends Error {
  override readonly name = "RedirectionError" as const;
}

/** A redirection after expansion. */
export interface ExpandedRedirection {
  readonly redirection: Redirection;
  readonly target: string;
}

export async function expandRedirections(
  process: Process,
  redirections: readonly Redirection[],
): Promise<ExpandedRedirection[]> {
  const expanded: ExpandedRedirection[] = [];
  for (const redirection of redirections)
    expanded.push({ redirection, target: await targetOf(process, redirection) });
  return expanded;
}

async function targetOf(process: Process, redirection: Redirection): Promise<string> {
  const host = hostOf(process);
  const { document, operator, target } = redirection;
  if (document) {
    if (document.isQuoted || !/[\\$`]/.test(document.body)) return document.body;
    return expandText(documentOf(document.body, redirection.line + 1), host, "document");
  }
  if (operator === "<<<") return `${await expandText(target, host, "value")}\n`;
  const words = await expandWords([target], host);
  if (words.length === 1) return words[0] ?? "";
  throw new RedirectionError(`${await expandText(target, host)}: ambiguous redirect`);
}

/** The text of a here-document, in which an error of syntax is one of its command alone. */
function documentOf(text: string, firstLine: number): Word {
  try {
    return parseDocument(text, { firstLine });
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    throw new RedirectionError(error.message);
  }
}

/** Opens files in order. @returns the descriptors as they were, to restore them. @throws {RedirectionError} */
export async function applyRedirections(
  process: Process,
  expanded: readonly ExpandedRedirection[],
): Promise<Restore> {
  const before = new Map<number, OpenDescription | undefined>();
  const restore = async (): Promise<void> => {
    for (const [number, file] of before) {
      await process.descriptors.set(number, file);
      await file?.release();
    }
  };
  try {
    for (const one of expanded) {
      // One whose number goes into a variable, as in `{log}>file`, stays open behind the command.
      const stays = typeof one.redirection.descriptor === "string";
      for (const { number, file } of await openAll(process, one)) {
        if (!stays && !before.has(number))
          before.set(number, process.descriptors.get(number)?.retain());
        await process.descriptors.set(number, file);
      }
    }
  } catch (error) {
    await restore();
    throw error;
  }
  return {
    restore,
    async keep() {
      for (const file of before.values()) await file?.release();
    },
  };
}

interface Restore {
  /** Puts the former descriptors back. */
  restore(): Promise<void>;
  /** Keeps the new ones, as `exec` does. */
  keep(): Promise<void>;
}

interface Opened {
  readonly number: number;
  readonly file: OpenDescription | undefined;
}

async function openAll(process: Process, one: ExpandedRedirection): Promise<Opened[]> {
  const { redirection, target } = one;
  const { operator, descriptor } = redirection;
  if (operator === "&>" || operator === "&>>" || (operator === ">&" && isFileForBoth(one))) {
    const file = await open(process, target, operator === "&>>" ? ">>" : ">");
    return [
      { number: 1, file },
      { number: 2, file },
    ];
  }
  const isClosing = (operator === "<&" || operator === ">&") && target === "-";
  const number = await numberOf(process, descriptor, { operator, isClosing });
  if (isClosing) return [{ number, file: undefined }];
  if (operator === "<<" || operator === "<<-" || operator === "<<<")
    return [{ number, file: inputOf(encodeShellText(target)) }];
  if (operator !== "<&" && operator !== ">&")
    return [{ number, file: await open(process, target, operator) }];
  const source = /^(\d+)(-?)$/.exec(target);
  if (!source) throw new RedirectionError(`${target}: ambiguous redirect`);
  const file = process.descriptors.get(Number(source[1]));
  if (!file) throw new RedirectionError(`${source[1] ?? ""}: Bad file descriptor`);
  const isMoved = source[2] === "-";
  return [{ number, file }, ...(isMoved ? [{ number: Number(source[1]), file: undefined }] : [])];
}

/** `>&file` is `&>file`, where `>&1` is a copy of a descriptor. */
function isFileForBoth({ redirection, target }: ExpandedRedirection): boolean {
  return (redirection.descriptor ?? 1) === 1 && !/^(?:\d+-?|-)$/.test(target);
}

async function numberOf(
  process: Process,
  descriptor: Redirection["descriptor"],
  { operator, isClosing }: { operator: string; isClosing: boolean },
): Promise<number> {
  if (typeof descriptor === "number") return descriptor;
  if (descriptor === undefined) return operator.startsWith("<") ? 0 : 1;
  if (isClosing) return Number(readVariable(process.state, descriptor) ?? -1);
  const number = process.descriptors.free();
  assignVariable(process.state, descriptor, String(number));
  return number;
}

async function open(
  process: Process,
  target: string,
  operator: Redirection["operator"],
): Promise<OpenDescription> {
  const { state } = process;
  const known = descriptorOf(process, target);
  if (known) return known;
  const path = resolvePath(state.cwd, target);
  const files = openFilesOf(process);
  try {
    if (target === "") throw new FileSystemError("ENOENT", target);
    if (operator === "<") return await files.openToRead(path);
    if (operator === "<>") return await files.openToUpdate(path);
    const isNew = operator === ">" && state.options.has("noclobber");
    if (isNew && (await isRegularFile(process, path)))
      throw new RedirectionError(`${target}: cannot overwrite existing file`);
    return await files.openToWrite(path, operator === ">>" ? "append" : "truncate");
  } catch (error) {
    if (!(error instanceof FileSystemError)) throw error;
    throw new RedirectionError(`${target}: ${describeFileError(error)}`);
  }
}

/** The open file behind `/dev/stdin`, `/dev/fd/3` and their like. */
export function descriptorOf(process: Process, path: string): OpenDescription | undefined {
  const number = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(path)?.[1];
  if (number !== undefined) return process.descriptors.get(Number(number));
  const name = /^\/dev\/(stdin|stdout|stderr)$/.exec(path)?.[1];
  const names: Record<string, number> = { stdin: 0, stdout: 1, stderr: 2 };
  return name === undefined ? undefined : process.descriptors.get(names[name] ?? 0);
}

async function isRegularFile(process: Process, path: string): Promise<boolean> {
  return filesOf(process)
    .stat(path)
    .then(
      ({ type }) => type === "file" && !path.startsWith("/dev/"),
      () => false,
    );
}

export function isExpected(error: unknown): error is RedirectionError | ExpansionError {
  return error instanceof RedirectionError || error instanceof ExpansionError;
}
