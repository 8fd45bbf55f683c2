import type { InteractiveSessionOptions } from "@robota/runtime";
import { expect, it } from "vitest";
import { type Files, hostWith, openSession, textOf } from "../../support/settings-support.ts";

const USER = "~/.robota/settings.json";
const PROJECT = "/work/.robota/settings.json";

/** Runs `ls` under these settings and returns its outcome with their warnings. */
async function judged(files: Files, options: Partial<InteractiveSessionOptions> = {}) {
  const { session } = openSession(hostWith(files), options);
  await session.ready;
  const { decision } = session.explain("Bash", { command: "ls" });
  const { sources, warnings } = session.getSettings() ?? {};
  await session.shutdown();
  return {
    decision,
    source: sources?.["readOnlyCommands"],
    left: warnings?.filter(({ setting }) => setting === "readOnlyCommands"),
  };
}

it.each<[string, Files, Partial<InteractiveSessionOptions>, string, string | undefined]>([
  ["nobody says anything", {}, {}, "auto", undefined],
  ["the person wants questions", { [USER]: { readOnlyCommands: false } }, {}, "approve", USER],
  [
    "an untrusted project wants questions, whatever the person says",
    { [PROJECT]: { readOnlyCommands: false }, [USER]: { readOnlyCommands: true } },
    {},
    "approve",
    ".robota/settings.json",
  ],
  [
    "the invocation wants questions",
    { [USER]: { readOnlyCommands: true } },
    { settings: { readOnlyCommands: false } },
    "approve",
    "invocation",
  ],
  [
    "the invocation wants none, and the person some",
    { [USER]: { readOnlyCommands: false } },
    { settings: { readOnlyCommands: true } },
    "approve",
    USER,
  ],
  [
    "the program itself decides",
    { [USER]: { readOnlyCommands: false } },
    { readOnlyCommands: true },
    "auto",
    USER,
  ],
])("read-only commands, when %s", async (_, files, options, decision, source) => {
  expect(await judged(files, options)).toEqual({ decision, source, left: [] });
});

it.each([true, false])(
  "a project can't allow them when the person wants requests, trusted: %s",
  async (trustWorkspace) => {
    const files = { [PROJECT]: { readOnlyCommands: true }, [USER]: { readOnlyCommands: false } };
    const { decision, source, left } = await judged(files, { trustWorkspace });
    expect([decision, source]).toEqual(["approve", USER]);
    expect(left).toEqual([
      {
        layer: ".robota/settings.json",
        setting: "readOnlyCommands",
        message: "is left out: a project may only require more approvals",
      },
    ]);
  },
);

it("a non-boolean value keeps the session from opening", async () => {
  await expect(judged({ [USER]: { readOnlyCommands: "no" } })).rejects.toThrow(
    "readOnlyCommands must be true or false",
  );
});

it("takes effect with the next turn of an open session, and lasts", async () => {
  const platform = hostWith({});
  const file = USER.replace("~", platform.home);
  const decision = (): string => session.explain("Bash", { command: "ls" }).decision;
  const { session } = openSession(
    platform,
    {},
    Array.from({ length: 3 }, () => () => ({ text: decision() })),
  );
  await session.ready;
  expect((await session.submit("one")).response).toBe("auto");
  for (const settings of [{ readOnlyCommands: false }, { readOnlyCommands: true }]) {
    await platform.fs.mkdir(`${platform.home}/.robota`, { recursive: true });
    await platform.fs.writeFile(file, textOf(settings));
    expect((await session.submit("more")).response).toBe("approve");
  }
  await session.shutdown();
});
