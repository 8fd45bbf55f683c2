import { concatBytes, decodeText } from "../../../bytes.ts";
import type { Checkpoint, RewindScope } from "../../../session/files/checkpoints.ts";
import type { CommandArgument } from "../command.ts";
import type { CommandSession } from "../command-session.ts";
import { brief, builtin, counted, done, refused } from "./result.ts";

const SCOPES: Readonly<Record<RewindScope, string>> = {
  both: "The conversation and the files",
  conversation: "The conversation alone",
  files: "The files alone",
};

/** People count back: 1 is the latest. */
function latestFirst(session: CommandSession): Checkpoint[] {
  return session.checkpoints().toReversed();
}

function find(session: CommandSession, name: string): Checkpoint | undefined {
  const all = latestFirst(session);
  return all[Number(name) - 1] ?? all.find(({ id }) => id === name);
}

function describe({ kind, input }: Checkpoint): string {
  return kind === "rewind" ? "Before a rewind" : brief(input) || "Attachments";
}

function choices(session: CommandSession): CommandArgument[] {
  return latestFirst(session).map((checkpoint, at) => ({
    value: String(at + 1),
    description: describe(checkpoint),
  }));
}

function list(session: CommandSession, command: string) {
  const all = latestFirst(session);
  if (all.length === 0) return done("There is no earlier turn yet.", { checkpoints: [] });
  const lines = choices(session).map(({ value, description }) => `${value}  ${description}`);
  return done([`Choose one: /${command} <number>`, ...lines].join("\n"), {
    checkpoints: all.map((checkpoint) => ({ ...checkpoint, input: brief(checkpoint.input) })),
  });
}

export const rewind = builtin("rewind", {
  argumentHint: "[number] [both | conversation | files]",
  aliases: ["checkpoint"],
  complete: (session, args) =>
    args === ""
      ? choices(session)
      : args.includes(" ")
        ? []
        : Object.entries(SCOPES).map(([value, description]) => ({ value, description })),
  async execute(session, args) {
    const [name = "", what = "both", ...more] = args.trim().split(/\s+/);
    if (name === "") return list(session, "rewind");
    const scope = SCOPE_NAMES.find((one) => one === what);
    if (!scope || more.length > 0)
      return refused(`Choose what to rewind: ${SCOPE_NAMES.join(", ")}.`);
    const checkpoint = find(session, name);
    if (!checkpoint) return refused(`There is no checkpoint ${name}: /rewind lists them.`);
    const result = await session.rewind(checkpoint.id, scope);
    const { restored, removed, notRestored } = result.files;
    const changed = restored.length + removed.length;
    const files = scope === "conversation" ? "" : ` ${counted(changed, "file")} restored.`;
    const left = notRestored.map(({ path, reason }) => `\nNot restored: ${path}: ${reason}`);
    return done(`Rewound to before: ${describe(checkpoint)}.${files}${left.join("")}`, {
      ...result,
    });
  },
});

const SCOPE_NAMES = ["both", "conversation", "files"] as const;

export const fork = builtin("fork", {
  argumentHint: "[number]",
  // Over a network, the new session needs an owner: the server's own route makes it.
  callers: ["person"],
  complete: (session, args) => (args === "" ? choices(session) : []),
  async execute(session, args) {
    const name = args.trim();
    const checkpoint = name === "" ? undefined : find(session, name);
    if (name !== "" && !checkpoint)
      return refused(`There is no checkpoint ${name}: /rewind lists them.`);
    if (session.isEmpty) return refused("There is nothing to fork yet.");
    const forked = await session.fork(checkpoint?.id);
    const { sessionId } = forked;
    // The next owner opens the fork anew.
    await forked.shutdown();
    return done(`Forked: resume the session ${sessionId}.`, {
      sessionId,
      forkedFrom: session.sessionId,
    });
  },
});

/** Bytes; more does not fit into an answer. */
const MAX_EXPORT = 16 * 1024 * 1024;

export const exportSession = builtin("export", {
  scope: "read",
  async execute(session) {
    const bytes = await readAll(await session.export(), MAX_EXPORT);
    if (!bytes)
      return refused("The session is too large for an answer: read session.export() instead.");
    return done(`Exported ${counted(bytes.length, "byte")}, without secrets.`, {
      fileName: `session-${session.sessionId}.ndjson`,
      mediaType: "application/x-ndjson",
      text: decodeText(bytes),
    });
  },
});

async function readAll(
  stream: ReadableStream<Uint8Array>,
  limit: number,
): Promise<Uint8Array | undefined> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done: isDone, value } = await reader.read();
    if (isDone) return concatBytes(chunks);
    size += value.length;
    chunks.push(value);
    if (size <= limit) continue;
    await reader.cancel();
    return undefined;
  }
}
