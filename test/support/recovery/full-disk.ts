import { InteractiveSession, type Platform, replaySession } from "@robota/runtime";
import { memoryPlatform, ScriptedProvider } from "@robota/runtime/testing";

// A session that works until its host has no room left, and goes on when there is some again.

const ID = "full-disk";
/** More turns than any of the small disks of these tests has room for. */
const TURNS = 400;
/** Not stored one by one: those of an answer are stored together with its end. */
const SHOWN_ONLY = new Set(["context_update", "text_delta", "permission_auto"]);

export interface FullDisk {
  /** The host's platform, as a program gets it when it starts. */
  open: () => Platform | Promise<Platform>;
  cwd: string;
  /** Characters of an answer; 40,000 by default. */
  answerLength?: number;
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
  /** The end of the first turn after that which failed, `complete` when none did. */
  after: string;
  /** Acknowledged events, answers and prompts that are not there after a new start. */
  lost: string[];
  /** True where the record has every number once, in order. */
  isGapless: boolean;
  /** True where the replay of the record is equal to it, byte by byte. */
  isReplayed: boolean;
}

/** The report of a session that lost nothing. */
export const LIVED_THROUGH = {
  whileFull: ["FULL"],
  after: "complete",
  lost: [],
  isGapless: true,
  isReplayed: true,
};

/** Lives through a full disk, and reports what became of the session. */
export async function liveThroughFullDisk(disk: FullDisk): Promise<FullDiskReport> {
  const { open, makeRoom, cwd, answerLength = 40_000 } = disk;
  const acknowledged: string[] = [];
  const session = openSession(await open(), cwd, answerLength);
  const { completed, error, state } = await workUntilFull(session, (event) =>
    acknowledged.push(event),
  );
  const whileFull = [await outcome(session.submit(noise(answerLength)))];
  await makeRoom();
  const { state: after } = await session.submit("again");
  acknowledged.push(messagesOf(session));
  await session.shutdown();
  const record = await checkRecord(await open(), cwd, acknowledged);
  return {
    ...record,
    completed,
    failed: { state, code: error?.code, hint: error?.hint },
    whileFull,
    after: after === "complete" ? record.after : after,
  };
}

/** Lives until the disk is full, and reports each event that its listeners get. */
export function liveUntilFull(
  platform: Platform,
  { cwd, report }: { cwd: string; report: (event: string) => unknown },
): Promise<unknown> {
  return workUntilFull(openSession(platform, cwd, 40_000), report);
}

async function workUntilFull(session: InteractiveSession, report: (event: string) => unknown) {
  session.on("event", ({ seq, type }) => {
    if (!SHOWN_ONLY.has(type)) report(`${seq} ${type}`);
  });
  for (let completed = 0; ; completed++) {
    const end = await session.submit(`turn ${completed}`);
    // Hosts that hold back what depends on writes let it out.
    await new Promise((resolve) => setTimeout(resolve, 10));
    if (end.state !== "complete" || completed === TURNS) return { ...end, completed };
  }
}

/** Opens the session anew, and compares its record with what was acknowledged. */
export async function checkRecord(
  platform: Platform,
  cwd: string,
  acknowledged: readonly string[],
): Promise<Pick<FullDiskReport, "after" | "lost" | "isGapless" | "isReplayed">> {
  const session = openSession(platform, cwd, 100);
  await session.ready;
  const stored = new Set([messagesOf(session)]);
  for await (const { seq, type } of session.events()) {
    stored.add(`${seq} ${type}`);
    if (seq >= session.lastSeq) break;
  }
  const lost = acknowledged.filter((event) => !stored.has(event));
  const { state: after } = await session.submit("later");
  await session.shutdown();
  return { after, lost, ...(await replay(platform)) };
}

function messagesOf(session: InteractiveSession): string {
  return JSON.stringify(session.getMessages());
}

function openSession(platform: Platform, cwd: string, length: number): InteractiveSession {
  const replies = Array.from({ length: TURNS }, () => () => ({ text: noise(length) }));
  return new InteractiveSession({
    platform,
    cwd,
    sessionId: ID,
    contextWindow: 1_000_000_000,
    provider: new ScriptedProvider(replies),
  });
}

/** Text that no database can compress. */
function noise(length: number): string {
  let text = "";
  while (text.length < length) text += crypto.randomUUID();
  return text.slice(0, length);
}

async function outcome(work: Promise<{ error?: { code?: string } | undefined }>): Promise<string> {
  try {
    return (await work).error?.code ?? "stored";
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}

async function replay({
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
