import { createInterface, type Interface } from "node:readline/promises";
import type { WorkspaceTrust, WorkspaceTrustRequest } from "@robota/runtime/settings";
import { printable } from "./printable.ts";
import { type PageSize, trustPages } from "./trust-pages.ts";

/** A person ended the program at a question. */
export class Interrupted extends Error {
  override readonly name = "Interrupted" as const;
}

/**
 * Decides on trust in the workspace: an option of the command, for this run; a person at the terminal, for good; or,
 * without either, an earlier decision. A question that fails is a no, and aborts `question` with the reason.
 */
export function workspaceTrust(
  isTrusted: boolean,
  question: AbortController,
  beforeQuestion?: () => void,
): WorkspaceTrust | undefined {
  if (isTrusted) return true;
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async (request) => {
    beforeQuestion?.();
    try {
      return await askAtTerminal(request, process);
    } catch (error) {
      // An error of a callback would surface as uncaught.
      question.abort(error);
      return false;
    }
  };
}

/** @throws {Interrupted} at Ctrl+C and Ctrl+D */
export async function askAtTerminal(
  request: WorkspaceTrustRequest,
  { stdin, stderr }: { stdin: NodeJS.ReadableStream; stderr: NodeJS.WritableStream & PageSize },
): Promise<boolean> {
  const { columns, rows } = stderr;
  const terminal = createInterface({ input: stdin, output: stderr, terminal: true });
  // Both keys close it. Node 22 then leaves the question pending, later versions reject it with an error of their own.
  const closed = new Promise<"closed">((resolve) =>
    terminal.once("close", () => resolve("closed")),
  );
  const asked = askForTrust(request, terminal, { columns, rows });
  asked.catch(() => undefined);
  try {
    const answer = await Promise.race([closed, asked]);
    if (answer !== "closed") return answer;
    stderr.write("\n");
    throw new Interrupted("The question was not answered");
  } finally {
    terminal.close();
  }
}

/** Shows all findings page by page, and then asks. Skipping the rest means no. */
export async function askForTrust(
  request: WorkspaceTrustRequest,
  terminal: Pick<Interface, "question">,
  size: PageSize,
): Promise<boolean> {
  const { signal } = request;
  const pages = trustPages(request, size).map((page) => printable(page));
  for (const page of pages.slice(0, -1)) {
    const more = await terminal.question(`${page}\nEnter for more, "q" for no: `, { signal });
    if (more.trim() !== "") return false;
  }
  const last = `${pages.at(-1) ?? ""}\nType "yes" to trust it: `;
  const answer = await terminal.question(last, { signal });
  return answer.trim().toLowerCase() === "yes";
}
