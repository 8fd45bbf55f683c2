// Runs as a process of its own, to be killed: `session-death-worker <directory> <first turn>`. Works on one session, turn
// after turn, with tools that change a file, and tells what it was shown; each line is written at once and by itself.
import { writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";

const [directory = "", first = "0"] = process.argv.slice(2);
const cwd = join(directory, "workspace");
const file = join(cwd, "a.txt");
const tell = (...words: (string | number)[]): unknown => writeSync(1, `${words.join(" ")}\n`);
/** Shown as they happen: stored not at all, or with the next thing that somebody acts on. */
const SHOWN_ONLY = new Set([
  "tool_output",
  "context_update",
  "text_delta",
  "thinking_delta",
  "permission_auto",
  "files_before",
]);

/** What the model does in a turn: writes the file, changes it with a command, edits it, answers. */
function* answers(turn: number): Generator<object> {
  const call = (name: string, args: object) => ({
    toolCalls: [{ id: `${turn}-${name}`, name, args }],
  });
  yield call("Write", { filePath: file, content: `written ${turn}\n` });
  yield call("Bash", {
    command: `echo shell ${turn} >> a.txt; echo ${turn} > made-${turn % 5}.txt`,
  });
  yield call("Read", { filePath: file });
  yield call("Edit", { filePath: file, oldString: `written ${turn}`, newString: `edited ${turn}` });
  yield { deltas: ["Done ", `with ${turn}`] };
}

const session = new InteractiveSession({
  platform: nodePlatform({ home: directory }),
  cwd,
  sessionId: "s",
  permissionMode: "bypassPermissions",
  contextWindow: 100_000_000,
  provider: new ScriptedProvider(
    Array.from({ length: 500 }, (_, index) => [...answers(Number(first) + index)]).flat(),
  ),
});
session.on("event", ({ seq, type }) => {
  if (!SHOWN_ONLY.has(type)) tell("event", seq, type);
});
for (let turn = Number(first); ; turn++) {
  tell("begin", turn, JSON.stringify(await readFile(file, "utf8")));
  const { state, error } = await session.submit(`turn ${turn}`);
  if (state !== "complete") throw new Error(`turn ${turn} is ${state}: ${error?.message ?? ""}`);
}
