import type { InteractiveSession } from "@robota/runtime";
import { describe, expect, it } from "vitest";
import { CWD, hostWith, openSession } from "../../support/settings-support.ts";

const PROJECT = `${CWD}/.robota/settings.json`;
const RULE = "Bash(pnpm test *)";
const EXAMPLES = { [RULE]: { match: ["pnpm test"], notMatch: ["pnpmx"] } };
const CALL = { toolCalls: [{ name: "Bash", args: { command: "pnpm test a" } }] };

/** Says no to every call that no rule allows. */
function deny(session: InteractiveSession): void {
  session.on(
    "permission_request",
    ({ id }) => void session.resolvePermission(id, { allow: false }),
  );
}

/** Opens a session on a file with these permissions, and has its model run a command. */
async function opened(permissions: unknown, trustWorkspace: boolean, file = PROJECT) {
  const host = hostWith({ [file]: { permissions } });
  const { session } = openSession(host, { trustWorkspace }, [CALL, { text: "done" }]);
  await using _ends = session;
  await session.ready;
  deny(session);
  const { toolSummaries } = await session.submit("go");
  return {
    results: toolSummaries.map(({ result }) => result),
    warnings: session.getSettings()?.warnings.map(({ setting }) => setting),
    examples: session.getSettings()?.values.permissions?.examples,
  };
}

describe("examples of a project's rules", () => {
  it("are tested with the rules that allow, once these are in force", async () => {
    const permissions = { allow: [RULE], examples: EXAMPLES };
    const { results, warnings, examples } = await opened(permissions, true);
    expect(results).not.toEqual(["denied"]);
    expect(warnings).toEqual([]);
    expect(examples).toEqual(EXAMPLES);
  });

  it("wait for trust with the rules that allow, and do not keep the session from opening", async () => {
    const both = { "Bash(rm *)": { match: ["rm -r x"] }, ...EXAMPLES };
    const permissions = { allow: [RULE], deny: ["Bash(rm *)"], examples: both };
    const { results, warnings, examples } = await opened(permissions, false);
    expect(results).toEqual(["denied"]);
    expect(warnings).toEqual(["permissions.allow"]);
    expect(examples).toEqual({ "Bash(rm *)": { match: ["rm -r x"] } });
  });

  it("follow rules that change in an open session", async () => {
    const host = hostWith({ [PROJECT]: { permissions: { allow: [RULE], examples: EXAMPLES } } });
    const script = [{ text: "one" }, CALL, { text: "two" }];
    const { session } = openSession(host, { trustWorkspace: true }, script);
    await using _ends = session;
    deny(session);
    await session.submit("first");
    const changed = { permissions: { allow: [RULE, "Bash(x *)"], examples: EXAMPLES } };
    await host.fs.writeFile(PROJECT, JSON.stringify(changed));
    const { toolSummaries } = await session.submit("go");
    expect(session.getSettings()?.warnings.map(({ setting }) => setting)).toEqual([
      "permissions.allow",
    ]);
    expect(toolSummaries.map(({ result }) => result)).toEqual(["denied"]);
  });
});

describe.each([
  ["the project", PROJECT, ".robota/settings.json"],
  ["the person", "~/.robota/settings.json", "~/.robota/settings.json"],
])("unusable examples of %s are named with their file", (_, file, name) => {
  it.each([
    ["a number", 7, "permissions.examples must be an object"],
    ["a list", [], "permissions.examples must be an object"],
    ["null", null, "permissions.examples must be an object"],
    ["null for a rule", { [RULE]: null }, `permissions.examples.${RULE} must be`],
    ["a number for a rule", { [RULE]: 7 }, `permissions.examples.${RULE} must be`],
    ["a text", { [RULE]: { match: "pnpm" } }, `permissions.examples.${RULE}.match must be`],
    ["numbers", { [RULE]: { notMatch: [7] } }, `permissions.examples.${RULE}.notMatch.0 must be`],
    ["other words", { [RULE]: { matches: [] } }, `permissions.examples.${RULE} must be`],
    ["another rule", { "Bash(npm *)": {} }, "permissions.examples.Bash(npm *) is for no rule"],
    ["a contradiction", { [RULE]: { match: ["ls"] } }, `The rule ${RULE} in "deny" of `],
  ])("%s", async (_what, examples, message) => {
    const failure = opened({ deny: [RULE], examples }, false, file);
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.toThrow(name);
  });
});
