import { describe, expect, it } from "vitest";
import { accessRules, type AccessRulesOptions } from "./access-rules.ts";

const given = (
  lists: AccessRulesOptions["lists"],
  options: Partial<AccessRulesOptions> = {},
): ReturnType<typeof accessRules> => accessRules({ cwd: "/code", lists, ...options });

describe("the rules for opening a file", () => {
  it("distinguish reading and writing", () => {
    const rules = given({ deny: ["Read(/r/**)", "Write(/w/**)", "Edit(/e/**)", "Bash(ls *)"] });
    const refused = (kind: "read" | "write"): string[] =>
      ["/code/r/a", "/code/w/a", "/code/e/a", "/code/ls"].filter(
        (path) => rules.refusesFile(path, kind) !== undefined,
      );
    expect(refused("read")).toEqual(["/code/r/a"]);
    expect(refused("write")).toEqual(["/code/w/a", "/code/e/a"]);
  });

  it("refuse everything under a rule without a pattern, and skip invalid rules", () => {
    const rules = given({ deny: ["Read", "no rule at all", ""] });
    expect(rules.refusesFile("/anywhere", "read")).toContain("The rule Read forbids");
    expect(rules.refusesFile("/anywhere", "write")).toBeUndefined();
  });

  it("refuse files that need approval, unless a person has approved", () => {
    const lists = { ask: ["Read(/r/**)", "Bash(make *)"], deny: ["Read(/never/**)"] };
    const asked = given(lists);
    expect(asked.refusesFile("/code/r/a", "read")).toBeDefined();
    expect(asked.refusesCommand(["make", "x"], "/code")).toBeDefined();
    const approved = given(lists, { isApproved: true });
    expect(approved.refusesFile("/code/r/a", "read")).toBeUndefined();
    expect(approved.refusesCommand(["make", "x"], "/code")).toBeUndefined();
    expect(approved.refusesFile("/code/never/a", "read")).toBeDefined();
  });

  it("apply to each root and to the home", () => {
    const lists = { deny: ["Read(/r/**)", "Read(~/private/**)"] };
    const rules = given(lists, { roots: ["/a", "/b"], home: "/home/me" });
    expect(rules.refusesFile("/a/r/x", "read")).toBeDefined();
    expect(rules.refusesFile("/b/r/x", "read")).toBeDefined();
    expect(rules.refusesFile("/code/r/x", "read")).toBeUndefined();
    expect(rules.refusesFile("/home/me/private/x", "read")).toBeDefined();
    expect(given(lists).refusesFile("/home/me/private/x", "read")).toBeUndefined();
  });

  it("allow a secret file only by a rule that names it for reading", () => {
    const rules = given({ allow: ["Read(a.pem)", "Read(*.key)", "Write(b.pem)", "Read"] });
    expect(rules.refusesFile("/code/a.pem", "read")).toBeUndefined();
    expect(rules.refusesFile("/code/b.pem", "read")).toBeDefined();
    expect(rules.refusesFile("/code/c.key", "read")).toBeDefined();
    expect(rules.refusesFile("/code/notes.md", "read")).toBeUndefined();
  });

  it("let a call use the file it names, and the contents of a protected or secret directory that it names", () => {
    const named = ["/code", "/code/a.pem", "/code/.github/workflows", "/code/.gnupg"];
    const rules = given({}, { named });
    expect(rules.refusesFile("/code/a.pem", "read")).toBeUndefined();
    expect(rules.refusesFile("/code/a.pem/b.key", "read")).toBeUndefined();
    expect(rules.refusesFile("/code/.github/workflows/ci.yml", "write")).toBeUndefined();
    expect(rules.refusesFile("/code/.gnupg/x", "read")).toBeUndefined();
    expect(rules.refusesFile("/code/.env", "read")).toBeDefined();
    expect(rules.refusesFile("/code/.git/config", "write")).toContain("it is the inside of a Git");
  });

  it("cost the same for any number of opened files", () => {
    const rules = given({ deny: ["Read(/r/**)"] });
    for (let index = 0; index < 9000; index += 1) rules.refusesFile(`/code/a/${index}`, "read");
    expect(rules.refusesFile("/code/r/a", "read")).toBeDefined();
    expect(rules.refusesFile("/code/a/1", "read")).toBeUndefined();
  });
});

describe("the rules for starting a command", () => {
  it("recognize it behind other commands, and do not affect others", () => {
    const rules = given({ deny: ["Bash(curl *)", "Read(/r/**)", "WebFetch"] });
    expect(rules.refusesCommand(["env", "A=1", "curl", "x"], "/code")).toContain("Bash(curl *)");
    expect(rules.refusesCommand(["wget", "x"], "/code")).toBeUndefined();
    expect(rules.refusesCommand(["sh", "-c", "ls"], "/code")).toBeUndefined();
  });

  it("refuse every command under a rule for all, and nothing when no program starts", () => {
    const rules = given({ deny: ["*"] });
    expect(rules.refusesCommand(["ls"], "/code")).toBeDefined();
    expect(rules.refusesCommand([], "/code")).toBeUndefined();
    expect(given({}).refusesCommand(["ls"], "/code")).toBeUndefined();
  });
});

it("the rules for fetching refuse denied hosts", () => {
  const rules = given({ deny: ["WebFetch(domain:*.evil.example)", "Bash(curl *)"] });
  expect(rules.refusesAddress?.("https://a.evil.example/x?key=1")).toBe(
    "The rule WebFetch(domain:*.evil.example) forbids a.evil.example.",
  );
  expect(rules.refusesAddress?.("https://good.example/")).toBeUndefined();
  expect(given({}).refusesAddress?.("https://a.evil.example/")).toBeUndefined();
});
