import { InteractiveSession, type Platform, replaySession } from "@robota/runtime";
import { memoryPlatform, ScriptedProvider } from "@robota/runtime/testing";

// A session that works until its host has no room left, and goes on when there is some again.

const ID = "full-disk";
/** More turns than any of the small disks of these tests has room for. */
const TURNS = 400;
/** The length of an answer. */
const ANSWER = 40_000;
/** Not stored one by one: those of an answer are stored together with its end. */
const SHOWN_ONLY = new Set(["context_update", "text_delta", "permission_auto"]);

export interface FullDisk {
  /** The host's platform, as a program gets it when it starts. */
  open: () => Platform | Promise<Platform>;
  cwd: string;
  /** Makes room on the disk. */
  makeRoom: () => unknown;
}

export interface FullDiskReport {
  /** Turns that were completed before the disk was full. */
  completed: number;
  /** The end of the turn that the disk was full in. */
  failed: { state: string; code: string | undefined; hint: string | undefined };
  /** Codes of what was asked for while it was full, `stored` for what there was room for. */
  whileFull: string[];
  /** The answer of the turn after that. */
  after: string;
  /** Acknowledged events, answers and prompts that are not there after a new start. */
  lost: string[];
  /** True where the record has every number once, in order. */
  isGapless: boolean;
  /** True where the replay of the record is equal to it, byte by byte. */
  isReplayed: boolean;
}

/** Lives through a full disk, and reports what became of the session. */
export async function liveThroughFullDisk(disk: FullDisk): Promise<FullDiskReport> {
  const { open, cwd, makeRoom } = disk;
  const acknowledged = new Map<number, string>();
  const session = sessionOn(await open(), cwd);
  session.on("event", (event) => {
    if (!SHOWN_ONLY.has(event.type)) acknowledged.set(event.seq, event.type);
  });

  let completed = 0;
  let end = await session.submit("turn 0");
  while (end.state === "complete" && completed < TURNS) {
    completed += 1;
    end = await session.submit(`turn ${completed}`);
  }
  const whileFull = [await outcome(session.submit("x".repeat(ANSWER)))];
  await makeRoom();
  const { response: after } = await session.submit("again");
  const shown = JSON.stringify(session.getMessages());
  await session.shutdown();

  const platform = await open();
  const later = sessionOn(platform, cwd);
  await later.ready;
  const stored = new Map<number, string>();
  for await (const { seq, type } of later.events()) {
    stored.set(seq, type);
    if (seq >= later.lastSeq) break;
  }
  const lost = [...acknowledged]
    .filter(([seq, type]) => stored.get(seq) !== type)
    .map(([seq, type]) => `${seq} ${type}`);
  if (JSON.stringify(later.getMessages()) !== shown) lost.push("messages");
  await later.shutdown();
  const { state, error } = end;
  return {
    completed,
    failed: { state, code: error?.code, hint: error?.hint },
    whileFull,
    after,
    lost,
    ...(await record(platform)),
  };
}

function sessionOn(platform: Platform, cwd: string): InteractiveSession {
  const answer = (turn: number): string => `${turn} `.padEnd(ANSWER, `words of ${turn}, `);
  const replies = Array.from({ length: TURNS }, (_, turn) => ({ text: answer(turn) }));
  return new InteractiveSession({
    platform,
    cwd,
    sessionId: ID,
    contextWindow: 1_000_000_000,
    provider: new ScriptedProvider(replies),
  });
}

async function outcome(work: Promise<{ error?: { code?: string } | undefined }>): Promise<string> {
  try {
    return (await work).error?.code ?? "stored";
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}

async function record({
  storage,
}: Platform): Promise<Pick<FullDiskReport, "isGapless" | "isReplayed">> {
  const decoder = new TextDecoder();
  const lines: string[] = [];
  let isGapless = true;
  for await (const { seq, value } of storage.read(`sessions/${ID}`)) {
    lines.push(decoder.decode(value));
    isGapless &&= seq === lines.length;
  }
  const { records } = await replaySession({ storage, sessionId: ID }, memoryPlatform());
  const isReplayed = records.map((bytes) => decoder.decode(bytes)).join("\n") === lines.join("\n");
  return { isGapless, isReplayed };
}
