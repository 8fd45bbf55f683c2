import { contentText, type SessionEvent } from "@robota/runtime";
import { DOT_PNG } from "./files.ts";
import type { ScriptedStep } from "@robota/runtime/testing";
import { agentCall, MAIN, played, WORKER } from "../agent-support.ts";
import type { Script } from "../settings-support.ts";

/** A session that was recorded, by what happens in it. */
export interface Recording {
  name: string;
  events: readonly SessionEvent[];
}

const DRAWING = { type: "image", mediaType: "image/png", data: DOT_PNG } as const;

type Answer = "allow" | "deny" | "abort";

interface Scene {
  name: string;
  main: Script;
  worker?: Script;
  /** Answers for other requests to the model, such as a summary. */
  other?: Script;
  /** The prompts, one turn each; one that begins with `/` is a command. */
  prompts: readonly string[];
  /** The answers to requests for approval, in order. */
  answers?: readonly Answer[];
  /** A message that is sent to the turn at its first request for approval. */
  steer?: string;
}

const write = (filePath: string, content = "x\n"): ScriptedStep => ({
  toolCalls: [{ name: "Write", args: { filePath, content } }],
});

const SCENES: readonly Scene[] = [
  {
    name: "thinking, words and a tool that needs nobody",
    main: [
      {
        thinking: "A file is there. ",
        text: "I look first.",
        toolCalls: [{ name: "Read", args: { filePath: "/work/a.txt" } }],
      },
      { deltas: ["It says ", "alpha."], usage: { inputTokens: 12, outputTokens: 5 } },
    ],
    prompts: ["what is in a.txt?"],
  },
  {
    name: "several calls at once, one of which is asked about and allowed",
    main: [
      {
        toolCalls: [
          { name: "Read", args: { filePath: "/work/a.txt" } },
          { name: "Write", args: { filePath: "/work/b.txt", content: "beta\n" } },
          { name: "Write", args: { filePath: "/work/bb.txt", content: "beta\n" } },
        ],
      },
      { text: "Both are written." },
    ],
    prompts: ["write them"],
    answers: ["allow", "allow"],
  },
  {
    name: "a call that a person denies, another message meanwhile",
    main: [write("/work/c.txt"), { text: "Then not." }],
    prompts: ["write it"],
    answers: ["deny"],
    steer: "and be brief",
  },
  {
    name: "a call that the rules deny, a tool that fails, and arguments that are no JSON",
    main: [
      {
        toolCalls: [
          { name: "Bash", args: { command: "rm -rf /work" } },
          { name: "Read", args: { filePath: "/work/none.txt" } },
          { name: "Read", args: "{ not JSON" },
        ],
      },
      { text: "None of it worked." },
    ],
    prompts: ["try"],
  },
  {
    name: "a turn that is stopped while it asks",
    main: [write("/work/d.txt"), { text: "never" }],
    prompts: ["write it"],
    answers: ["abort"],
  },
  {
    name: "an answer that breaks off, and a model that fails",
    main: [{ deltas: ["Half an ans"], error: "the connection broke" }, { error: "no credit left" }],
    prompts: ["first", "second"],
  },
  {
    name: "compaction between two turns",
    main: [{ text: "a first answer" }, { text: "a second answer" }],
    other: [{ text: "the summary" }],
    prompts: ["first ".repeat(20_000), "/compact", "second"],
  },
  {
    name: "a tool that reads an image",
    main: [
      { toolCalls: [{ name: "Read", args: { filePath: "/work/dot.gif" } }] },
      { text: "It is a dot." },
    ],
    prompts: ["what is in dot.gif?"],
  },
  {
    name: "a subagent that asks",
    main: [
      { text: "I have it done.", toolCalls: [agentCall(undefined, "write e.txt")] },
      { text: "It is done." },
    ],
    worker: [write("/work/e.txt"), { text: "Written." }],
    prompts: ["let it be written"],
    answers: ["allow"],
  },
];

/** The recording with an image behind the text of its last answer, as a model that draws would give it. */
export function withDrawing(events: readonly SessionEvent[]): SessionEvent[] {
  const last = events.findLast(({ type }) => type === "assistant_message");
  return events.map((event) => {
    if (event !== last || event.type !== "assistant_message") return event;
    const content = [{ type: "text" as const, text: contentText(event.message.content) }, DRAWING];
    return { ...event, message: { ...event.message, content } };
  });
}

/** Plays every scene on a real session, and resolves to their events as a client saw them. */
export async function recordings(): Promise<Recording[]> {
  return Promise.all(
    SCENES.map(async (scene) => ({ name: scene.name, events: await play(scene) })),
  );
}

async function play({ main, worker = [], other = [], prompts, answers = [], steer }: Scene) {
  const { session } = played(
    { [MAIN]: main, [WORKER]: worker, "": other },
    {
      // The beginning of a file is what it is told by.
      files: { "/work/a.txt": "alpha\n", "/work/dot.gif": "GIF89a dot" },
      settings: { permissions: { deny: ["Bash(rm *)"] } },
    },
  );
  const events: SessionEvent[] = [];
  const left = [...answers];
  session.on("event", (event) => {
    events.push(structuredClone(event));
    if (event.type !== "permission_request") return;
    if (steer !== undefined && left.length === answers.length) void session.steer(steer);
    const answer = left.shift();
    if (answer === "abort") session.abort();
    else
      void session.resolvePermission(event.request.id, {
        allow: answer === "allow",
        ...(answer === "deny" ? { reason: "not this one" } : {}),
      });
  });
  for (const prompt of prompts) {
    if (prompt.startsWith("/")) await session.executeCommand(prompt.slice(1));
    else await session.submit(prompt);
  }
  await session.shutdown();
  return events;
}
