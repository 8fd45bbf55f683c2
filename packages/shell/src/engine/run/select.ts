import { expandWords } from "../expand/words.ts";
import { assignVariable, readVariable } from "../state/access.ts";
import type { CompoundCommand, List } from "../syntax/tree.ts";
import { print, type Process } from "./process.ts";
import { hostOf } from "./substitution.ts";
import { trace } from "./trace.ts";
import { announceAt } from "./traps.ts";

type Round = (body: List) => Promise<{ status: number; goesOn: boolean }>;

/** Runs `select`: a menu on standard error, an answer from standard input. */
export async function runSelect(
  process: Process,
  command: Extract<CompoundCommand, { type: "select" }>,
  runRound: Round,
): Promise<number> {
  const { state, run } = process;
  const { name, words, body } = command;
  const announced = announceAt(process, command);
  if (announced) await announced;
  const choices = words ? await expandWords(words, hostOf(process)) : state.positional;
  await trace(process, command.text);
  if (choices.length === 0) return 0;
  let status = 0;
  for (let isShown = true; ;) {
    if (isShown) {
      const lines = choices.map((choice, index) => `${index + 1}) ${choice}\n`);
      await print(process, 2, lines.join(""));
    }
    await print(process, 2, readVariable(state, "PS3") ?? "#? ");
    if ((await run.interpreter.runWords(process, ["read", "-r", "REPLY"], {})) !== 0) {
      await print(process, 2, "\n");
      return 1;
    }
    const answer = readVariable(state, "REPLY") ?? "";
    isShown = answer === "";
    if (isShown) continue;
    assignVariable(state, name, /^\d+$/.test(answer) ? (choices[Number(answer) - 1] ?? "") : "");
    const round = await runRound(body);
    status = round.status;
    if (!round.goesOn) return status;
  }
}
