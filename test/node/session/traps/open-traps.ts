// Runs as a process of its own: opens each workspace as a session without anybody to ask, and with the answer "no", and
// tells in one line of JSON each what came of it.
import { openSync, readFileSync, writeSync } from "node:fs";
import { nodePlatform } from "@robota/adapters-node";
import { InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import type { Observed } from "./observe.ts";

export interface OpenedTrap {
  name: string;
  way: string;
  observed: Observed;
  /** The model's requests, the session's history, and the text of a failure. */
  shown: string;
  isHung: boolean;
}

export interface TrapToOpen {
  name: string;
  home: string;
  cwd: string;
  mark: string;
  ways: readonly Way[];
}

/** `trusted` is for the traps that prove that they would act. */
export type Way = keyof typeof WAYS;

/** Far longer than any of them takes: none may wait for somebody who never writes. */
const HUNG_MS = 30_000;
const WAYS = {
  headless: {},
  "answered no": { trustWorkspace: () => false },
  trusted: { trustWorkspace: () => true },
} as const;

const { observed } = globalThis as unknown as { observed: Observed };

async function open({ home, cwd, mark }: TrapToOpen, way: Way): Promise<string> {
  const platform = nodePlatform({ home });
  const provider = new ScriptedProvider([
    { toolCalls: [{ id: "1", name: "Bash", args: { command: `touch ${mark}` } }] },
    { text: "done" },
    { text: "done" },
  ]);
  let shown = "";
  try {
    await using session = new InteractiveSession({ platform, cwd, provider, ...WAYS[way] });
    session.on(
      "permission_request",
      ({ id }) => void session.resolvePermission(id, { allow: false }),
    );
    await session.submit("hello");
    session.listCommands();
    await session.submit("/help");
    shown += JSON.stringify(session.getFullHistory());
  } catch (error) {
    shown += String(error);
  } finally {
    shown += JSON.stringify(provider.requests);
    await platform.dispose();
  }
  return shown;
}

/** A call in the kernel that shows where in its record a trap begins; there is no such file. */
function markBeginning(name: string): void {
  try {
    openSync(`/robota-trap/${name}`, "r");
  } catch {
    // As it should be.
  }
}

const traps = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as TrapToOpen[];
for (const trap of traps) {
  for (const way of trap.ways) {
    for (const list of Object.values(observed) as string[][]) list.length = 0;
    markBeginning(`${trap.name} (${way})`);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hung = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), HUNG_MS);
    });
    const shown = await Promise.race([open(trap, way), hung]);
    clearTimeout(timer);
    markBeginning("nothing");
    const told: OpenedTrap = {
      name: trap.name,
      way,
      observed,
      shown: shown ?? "",
      isHung: shown === undefined,
    };
    writeSync(1, `${JSON.stringify(told)}\n`);
  }
}
process.exit(0);
