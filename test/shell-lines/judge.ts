import { evaluatePermission, type PermissionLists, type PermissionMode } from "@robota/runtime";
import { isReadOnly } from "../../packages/runtime/src/permissions/read-only/read-only-commands.ts";
import { generateExpansion, generateLine } from "./generate.ts";
import type { ShellWorld } from "./run.ts";

interface Setting {
  name: string;
  mode: PermissionMode;
  lists: PermissionLists;
  /** True when a program that ran should have been asked about. */
  isWrong: (ran: string) => boolean;
}

const DENIED = ["Bash(rm *)", "Bash(git push *)"];
const isDenied = (ran: string): boolean => /^(?:rm|git push)(?: |$)/.test(ran);

export const SETTINGS: readonly Setting[] = [
  {
    name: "rules that name programs",
    mode: "default",
    lists: { allow: ["Bash(alpha *)", "Bash(git status *)", "Bash(git log *)", "Bash(echo *)"] },
    isWrong: (ran) => !/^(?:alpha|git (?:status|log))(?: |$)/.test(ran),
  },
  {
    name: "rules that name programs, some denied",
    mode: "default",
    lists: { allow: ["Bash(alpha *)", "Bash(beta:*)", "Bash(git *)"], deny: DENIED },
    isWrong: (ran) => !/^(?:alpha|beta|git)(?: |$)/.test(ran) || isDenied(ran),
  },
  {
    name: "every command but what is denied",
    mode: "default",
    lists: { allow: ["Bash"], deny: DENIED },
    isWrong: isDenied,
  },
  {
    name: "bypassPermissions and what is denied",
    mode: "bypassPermissions",
    lists: { deny: ["Bash(rm:*)"], ask: ["Bash(git push *)"] },
    isWrong: isDenied,
  },
];

export interface LineFigures {
  setting: string;
  lines: number;
  /** The number of them that ran without a question. */
  ran: number;
  asked: number;
  refused: number;
  /** Lines that ran something which a rule forbids, or none allows. */
  wrong: string[];
}

/** Judges so many lines of a setting, as a session does and as the pure function does, and runs those that either lets through. */
export async function tryLines(
  world: ShellWorld,
  { name, mode, lists, isWrong }: Setting,
  seeds: Iterable<number>,
): Promise<LineFigures> {
  const figures: LineFigures = { setting: name, lines: 0, ran: 0, asked: 0, refused: 0, wrong: [] };
  const session = { cwd: world.root, roots: [world.root], home: world.root, isReadOnly };
  for (const seed of seeds) {
    const command = seed % 5 === 0 ? generateExpansion(seed) : generateLine(seed);
    const decisions = [session, {}].map((context) =>
      evaluatePermission("Bash", { command }, mode, lists, context),
    );
    figures.lines += 1;
    if (decisions[0] === "deny") figures.refused += 1;
    else if (decisions[0] === "approve") figures.asked += 1;
    else figures.ran += 1;
    if (!decisions.includes("auto")) continue;
    const ran = await world.run(command);
    if (ran.some(isWrong)) figures.wrong.push(`${decisions.join("/")} ${JSON.stringify(command)}`);
  }
  return figures;
}
