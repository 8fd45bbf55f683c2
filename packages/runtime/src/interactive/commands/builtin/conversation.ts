import { defined } from "../../../defined.ts";
import { formatTokenCount } from "../../../context/models.ts";
import { builtin, done, refused } from "./result.ts";

export const clear = builtin("clear", {
  async execute(session) {
    await session.clearHistory();
    return done("The conversation is empty.");
  },
});

export const compact = builtin("compact", {
  argumentHint: "[focus]",
  async execute(session, args) {
    const { before, after, isEmpty } = await session.compact(args.trim());
    if (isEmpty) return done("Nothing to summarise: the conversation is empty.", { before, after });
    return done(`Summarised: ${formatTokenCount(before)} to ${formatTokenCount(after)} tokens.`, {
      before,
      after,
    });
  },
});

export const rename = builtin("rename", {
  argumentHint: "<name>",
  async execute(session, args) {
    const name = args.trim();
    if (name === "") return refused("Give the session's new name: /rename <name>");
    await session.setName(name);
    return done(`Renamed to "${name}".`, { name });
  },
});

export const resume = builtin("resume", {
  argumentHint: "[session]",
  aliases: ["continue"],
  execute(_session, args) {
    const sessionId = args.trim();
    return done(
      "Choose the session to resume.",
      defined({
        triggerResumePicker: true,
        sessionId: sessionId || undefined,
      }),
    );
  },
});

export const reset = builtin("reset", {
  execute: () => done("The program resets itself.", { resetRequested: true }),
});

export const exit = builtin("exit", {
  aliases: ["quit"],
  execute: () => done("Goodbye.", { exitRequested: true }),
});
