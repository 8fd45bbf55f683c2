import type { Client, Connect, Conversation } from "./adapter.ts";
import { DELTA_LENGTH } from "./wires.ts";

/** A piece of work that every adapter does. */
export interface Scenario {
  title: string;
  /** The address's beginning, which tells the server what to answer. */
  path: string;
  tools?: boolean;
  /** The unit of the cost. */
  unit: string;
  /** Units in one go. */
  units: number;
  /** Goes in one sample; as many as take `MIN_SAMPLE_MS` of CPU time when omitted. */
  goes?: number;
  /** Questions and answers before it; the conversation is then kept from sample to sample. */
  history?: number;
  run(client: Client, kept: Conversation | undefined): Promise<void>;
}

const MIN_SAMPLE_MS = 150;
/** CPU time that does not count, before each sample. */
const SETTLE_MS = 75;
const SESSIONS = 200;
const CROWD = 1_000;

/** One turn in a conversation of its own. */
function turn(deltas: number): Scenario["run"] {
  return async (client) => {
    const conversation = await client.conversation();
    await answered(conversation, deltas);
    await conversation.dispose?.();
  };
}

async function answered(conversation: Conversation, deltas: number): Promise<void> {
  let shown = 0;
  const { text } = await conversation.turn("Answer, please.", () => (shown += 1));
  expect("deltas", shown, deltas);
  expect("characters", text.length, deltas * DELTA_LENGTH);
}

async function toolRun(client: Client, rounds: number): Promise<void> {
  const conversation = await client.conversation();
  const { toolCalls } = await conversation.turn("Use the tool.", () => {});
  expect("tool calls", toolCalls, rounds);
  await conversation.dispose?.();
}

async function worked(client: Client, deltas: number): Promise<void> {
  const conversation = await client.conversation();
  let shown = 0;
  // A session parts what was said before a tool call from what comes after it.
  const count = (delta: string): unknown => delta.trim() !== "" && (shown += 1);
  const { toolCalls } = await conversation.turn("Use the tool.", count);
  expect("deltas", shown, 2 * deltas);
  expect("tool calls", toolCalls, 1);
  await conversation.dispose?.();
}

function expect(what: string, actual: number, expected: number): void {
  if (actual !== expected) throw new Error(`${actual} ${what} instead of ${expected}`);
}

export const SCENARIOS = {
  turn: {
    title: "turn of 50 deltas",
    path: "/text.50.0",
    unit: "turn",
    units: 1,
    run: turn(50),
  },
  burst: {
    title: "burst of 20,000 deltas",
    path: "/text.20000.0",
    unit: "delta",
    units: 20_000,
    run: turn(20_000),
  },
  live: {
    title: "live stream, 1 event per ms",
    path: "/text.500.1",
    unit: "delta",
    units: 500,
    run: turn(500),
  },
  tool: {
    title: "tool round",
    path: "/tool.50.0",
    tools: true,
    unit: "round",
    units: 51,
    run: (client) => toolRun(client, 50),
  },
  history: {
    title: "turn on a history of 2,000",
    path: "/text.3.0",
    unit: "turn",
    units: 1,
    goes: 40,
    history: 2_000,
    async run(_, kept) {
      if (kept) await answered(kept, 3);
    },
  },
  sessions: {
    title: `${SESSIONS} sessions × 500 deltas`,
    path: "/text.500.0",
    unit: "delta",
    units: SESSIONS * 500,
    async run(client) {
      await Promise.all(Array.from({ length: SESSIONS }, () => turn(500)(client, undefined)));
    },
  },
  /** Each with one short turn, so that it is opening, recording and closing that counts. */
  crowd: {
    title: `${CROWD.toLocaleString("en")} sessions at once, a turn of 50 deltas each`,
    path: "/text.50.0",
    unit: "session",
    units: CROWD,
    async run(client) {
      await Promise.all(Array.from({ length: CROWD }, () => turn(50)(client, undefined)));
    },
  },
  /** As a service would answer them: what sessions cost beside its time, and not one after the other. */
  pacedCrowd: {
    title: `${CROWD.toLocaleString("en")} sessions at once, 20 deltas at 50 ms, a tool call, 20 deltas`,
    path: "/work.20.50",
    tools: true,
    unit: "session",
    units: CROWD,
    goes: 1,
    async run(client) {
      await Promise.all(Array.from({ length: CROWD }, () => worked(client, 20)));
    },
  },
  /** For the disk's share of the wall clock, with a model that takes a little time. */
  pacedTools: {
    title: "turn of 20 tool rounds, 1 event per ms",
    path: "/tool.20.1",
    tools: true,
    unit: "turn",
    units: 1,
    run: (client) => toolRun(client, 20),
  },
} satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;

export interface Sample {
  /** Microseconds a unit: CPU time of all threads, and the clock. */
  cpu: number;
  wall: number;
}

/** CPU time in microseconds, of all threads. */
function usedSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return user + system;
}

/** Measures one adapter in this process; keeps what a scenario keeps. */
export class Bench {
  readonly #connect: Connect;
  readonly #root: string;
  readonly #kept = new Map<string, Conversation>();

  constructor(connect: Connect, root: string) {
    this.#connect = connect;
    this.#root = root;
  }

  async sample(name: ScenarioName): Promise<Sample> {
    const scenario: Scenario = SCENARIOS[name];
    const { history, units, goes } = scenario;
    const client = this.#connect({
      baseURL: this.#root + scenario.path,
      tools: scenario.tools ?? false,
    });
    let kept = this.#kept.get(name);
    if (history !== undefined && !kept) {
      kept = await client.conversation(history);
      this.#kept.set(name, kept);
    }
    globalThis.gc?.();
    // The collection drops compiled code that knows objects of which none is alive: goes that don't count bring it back.
    const settling = process.cpuUsage();
    do await scenario.run(client, kept);
    while (usedSince(settling) < SETTLE_MS * 1000);
    const begun = performance.now();
    const cpu = process.cpuUsage();
    let done = 0;
    const isShort = (): boolean =>
      goes === undefined ? usedSince(cpu) < MIN_SAMPLE_MS * 1000 : done < goes;
    do {
      await scenario.run(client, kept);
      done += 1;
    } while (isShort());
    const total = usedSince(cpu);
    const wall = (performance.now() - begun) * 1000;
    if (!kept) await client.dispose?.();
    return { cpu: total / (done * units), wall: wall / (done * units) };
  }
}
