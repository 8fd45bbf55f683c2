// The cost of a turn besides the model: `npm run bench -- --sections turns`.
// Wall clock says little on a shared machine, so this counts CPU time, and in units of a task that every turn of a
// client does anyway: writing its request as JSON, measured in the same rounds.
import { cpus } from "node:os";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  type AssistantMessage,
  chat,
  type Message,
  type Provider,
  type ProviderEvent,
  Robota,
  Session,
} from "@robota/runtime";
import { memoryPlatform } from "@robota/shell/testing";
import { table, writeSection } from "./section.ts";

const ROUNDS = 11;
/** `turns` are measured one after another in each round: few enough that the history hardly grows. */
const SIZES = [
  { history: 10, agents: 100, turns: 1 },
  { history: 1000, agents: 10, turns: 4 },
  { history: 10_000, agents: 2, turns: 10 },
];
const PROMPT = "Where is the function that reads the settings, and who calls it? ".repeat(2);
const ANSWER = "It is in the module of that name, and three others call it. ".repeat(8);
const UNBOUNDED = 1e12;

/** Answers at once, in this process, and remembers what it was sent. */
class InstantProvider implements Provider {
  readonly name = "instant";
  readonly model = "instant-1";
  request: readonly Message[] = [];

  chat(messages: readonly Message[]): Promise<AssistantMessage> {
    return chat(this, messages);
  }

  async *chatStream(messages: readonly Message[]): AsyncGenerator<ProviderEvent> {
    this.request = messages;
    yield { type: "text_delta", delta: ANSWER };
    yield {
      type: "message",
      message: {
        role: "assistant",
        id: crypto.randomUUID(),
        timestamp: new Date(),
        state: "complete",
        content: ANSWER,
      },
    };
  }
}

interface Subject {
  turn: () => Promise<unknown>;
  /** The messages of its provider's last request. */
  request: () => readonly Message[];
}

function robota(): Subject {
  const provider = new InstantProvider();
  const agent = new Robota({ provider, contextWindow: UNBOUNDED });
  return { turn: () => agent.run(PROMPT), request: () => provider.request };
}

function session(): Subject {
  const provider = new InstantProvider();
  const one = new Session({ platform: memoryPlatform(), provider, contextWindow: UNBOUNDED });
  return { turn: () => one.run(PROMPT), request: () => provider.request };
}

async function prepare(make: () => Subject, history: number, count: number): Promise<Subject[]> {
  const subjects = Array.from({ length: count }, make);
  for (const { turn } of subjects) for (let index = 0; index < history; index++) await turn();
  return subjects;
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Microseconds of CPU, of all threads, that one call takes. */
async function cost(
  subjects: readonly Subject[],
  turns: number,
  work: (subject: Subject) => unknown,
): Promise<number> {
  collectGarbage();
  const begun = process.cpuUsage();
  for (const subject of subjects) for (let index = 0; index < turns; index++) await work(subject);
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / (subjects.length * turns);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN;
}

async function measure({ history, agents, turns }: (typeof SIZES)[number]): Promise<string[]> {
  const samples = { json: [] as number[], robota: [] as number[], session: [] as number[] };
  let robotas: Subject[] = [];
  let sessions: Subject[] = [];
  let length = 0;
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    // A short history would double within the rounds.
    if (round === 0 || history < 100) {
      robotas = await prepare(robota, history, agents);
      sessions = await prepare(session, history, agents);
    }
    const json = await cost(robotas, turns, ({ request }) => {
      length = JSON.stringify(request()).length;
    });
    const bare = await cost(robotas, turns, ({ turn }) => turn());
    const durable = await cost(sessions, turns, ({ turn }) => turn());
    if (round > 0) {
      samples.json.push(json);
      samples.robota.push(bare);
      samples.session.push(durable);
    }
  }
  const ratios = (values: readonly number[]): number[] =>
    values.map((value, index) => value / (samples.json[index] ?? Number.NaN));
  const spread = (values: readonly number[]): string =>
    `${quantile(values, 0.5).toPrecision(2)} (${quantile(values, 0.25).toPrecision(2)}–${quantile(values, 0.75).toPrecision(2)})`;
  const micros = (values: readonly number[]): string =>
    Math.round(quantile(values, 0.5)).toLocaleString("en");
  return [
    history.toLocaleString("en"),
    `${Math.round(length / 1000).toLocaleString("en")} kB`,
    micros(samples.json),
    micros(samples.robota),
    micros(samples.session),
    spread(ratios(samples.robota)),
    spread(ratios(samples.session)),
  ];
}

const rows = [
  [
    "turns before",
    "request",
    "JSON, µs",
    "Robota, µs",
    "Session, µs",
    "Robota ÷ JSON",
    "Session ÷ JSON",
  ],
];
for (const size of SIZES) rows.push(await measure(size));
const text = `## The cost of a turn

CPU time of one turn, without a model: a provider in the same
process answers at once. \`Robota\` keeps its conversation in memory; \`Session\` also records every event in a storage in
memory. JSON is one \`JSON.stringify\` of the messages of the same request, which a client has to do for each call anyway.

${table(rows)}

Medians of ${ROUNDS} rounds that take turns with each other; ratios are taken within a round, with their quartiles behind.
Node ${process.version}, ${cpus()[0]?.model.trim() ?? "unknown CPU"}, ${cpus().length} cores.

Noise: other work runs on the machine, so the times, and with them the ratios, differ between runs by
up to a factor of three; garbage collection and compilation on other threads are counted as well. Read the ratios for their
magnitude and for their growth with the length of the history.
`;
console.log(text);
writeSection("turns", text);
