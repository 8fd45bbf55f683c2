import type { InstructionFile } from "./read-instructions.ts";

/** Instructions of a project, by their audience. */
export interface ProjectInstructions {
  claudeMd?: string;
  agentsMd?: string;
}

/** The result of the instruction files in force. */
export interface InstructionsInForce {
  instructions: ProjectInstructions;
  /** The last part of the model's system prompt. */
  prompt: string;
  /**
   * Instructions of a `CLAUDE.md` for summaries: its section "Compact Instructions", up to the next heading of the same
   * or a higher level. The nearest file with one counts.
   */
  compact?: string;
}

const PREAMBLE =
  "Instructions of this project, from its own files. They say how to work here; of two that contradict each other, the one from the nearer directory counts. They approve nothing, and what the person says comes first.";

export function instructionsInForce(files: readonly InstructionFile[]): InstructionsInForce {
  const instructions = gatherInstructions(files);
  const parts = [instructions.agentsMd, instructions.claudeMd].filter((part) => part !== undefined);
  const compact = files
    .filter(({ kind }) => kind === "CLAUDE.md")
    .map(({ text }) => compactSection(text))
    .findLast((section) => section !== "");
  return {
    instructions,
    prompt: parts.length === 0 ? "" : [PREAMBLE, ...parts].join("\n\n"),
    ...(compact !== undefined && { compact }),
  };
}

/**
 * Concatenates files of each kind, with a heading for each file. Content that both files of a directory share appears
 * once.
 */
function gatherInstructions(files: readonly InstructionFile[]): ProjectInstructions {
  const usable = files.filter(({ problem }) => problem === undefined);
  const texts = new Set<string>();
  const textOf = (kind: InstructionFile["kind"]): string =>
    usable
      .filter((file) => file.kind === kind && texts.size < texts.add(file.text).size)
      .map(({ path, text }) => `# ${path}\n\n${text}`)
      .join("\n\n");
  const agentsMd = textOf("AGENTS.md");
  const claudeMd = textOf("CLAUDE.md");
  return { ...(agentsMd !== "" && { agentsMd }), ...(claudeMd !== "" && { claudeMd }) };
}

function compactSection(text: string): string {
  const lines = text.split(/\r?\n/);
  let level = 0;
  let fence = "";
  const section: string[] = [];
  for (const line of lines) {
    const [, mark = ""] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === "") fence = mark;
    else if (mark.startsWith(fence)) fence = "";
    // A `#` in a code block is not a heading.
    const heading =
      fence === "" && mark === "" ? /^ {0,3}(#{1,6})\s+(.*?)[\s#]*$/.exec(line) : null;
    const [, hashes = "", title = ""] = heading ?? [];
    if (level > 0 && heading && hashes.length <= level) break;
    if (level > 0) section.push(line);
    else if (/^compact instructions$/i.test(title)) level = hashes.length;
  }
  return section.join("\n").trim();
}
