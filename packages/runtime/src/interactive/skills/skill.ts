import type { FileSystem } from "../../ports/file-system.ts";
import type { ReasoningEffort } from "../../providers/provider.ts";

/** Instructions from a file that a person or a model can invoke by name. */
export interface Skill {
  name: string;
  /** Its purpose and when to use it: the model chooses by this text. */
  description: string;
  /** The instructions, without front matter. */
  body: string;
  /** Its file as people write it, such as `.claude/skills/deploy/SKILL.md`, or its address. */
  source: string;
  scope: "project" | "user";
  /** The arguments as a person reads them, such as `[environment]`. */
  argumentHint?: string | undefined;
  license?: string | undefined;
  /** Its requirements, such as programs. */
  compatibility?: string | undefined;
  metadata?: Readonly<Record<string, string>> | undefined;
  /** Permission rules such as `Bash(git *)`, in force in a turn that uses the skill. */
  allowedTools: readonly string[];
  /** An id, or one of `opus`, `sonnet`, `haiku`. */
  model?: string | undefined;
  effort?: ReasoningEffort | undefined;
  /** Present when it runs in a conversation of its own, by this agent. */
  fork?: { agent?: string | undefined } | undefined;
  /** False for one that only a person may use; it is hidden from the model. */
  isModelInvocable: boolean;
  /** False for one that is not a command. */
  isUserInvocable: boolean;
  /** The absolute path of its folder, with the files beside its instructions; absent for a command, a single file. */
  directory?: string | undefined;
  /** The files that have this folder, for a skill that came in an archive; those of the session when absent. */
  files?: FileSystem | undefined;
  /** The names of those files, relative to the folder. */
  fileNames?: readonly string[] | undefined;
}

/** A file found where skills are, usable or not. */
export interface SkillFile {
  /** Its path as people write it, or its address. */
  name: string;
  scope: Skill["scope"];
  /** The unparsed text, with the hashes of the files beside it where they are trusted together. */
  text: string;
  /** Absent when it can't be used. */
  skill?: Skill | undefined;
  problem?: string | undefined;
}
