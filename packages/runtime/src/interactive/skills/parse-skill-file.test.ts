import { describe, expect, it } from "vitest";
import { parseCommandFile, parseSkillFile } from "./parse-skill-file.ts";

const file = (front: string, body = "Do it."): string => `---\n${front}\n---\n\n${body}\n`;
const skill = async (front: string, folder?: string) => parseSkillFile(file(front), folder);
const problem = async (front: string, folder = "pdf"): Promise<string> => {
  const parsed = await parseSkillFile(file(front), folder);
  return "problem" in parsed ? parsed.problem : "";
};
const NAMED = "name: pdf\ndescription: Fills forms";

describe("the front matter of a skill", () => {
  it("accepts the keys of the Agent Skills specification and of Claude Code", async () => {
    const front = [
      "name: pdf-forms",
      "description: Fills forms. Use it for PDF files.",
      "license: Apache-2.0",
      "compatibility: Needs pdftk",
      "metadata:\n  author: acme\n  version: 1.5",
      "allowed-tools: Bash(pdftk *) Bash(jq:*), Read",
      "argument-hint: [file] [field]",
      "disable-model-invocation: true",
      "user-invocable: false",
      "model: haiku",
      "effort: low",
      "context: fork",
      "agent: Explore",
    ];
    // Two lists in a row are not YAML: such a hint is written in quotes.
    const quoted = front.join("\n").replace("[file] [field]", '"[file] [field]"');
    expect(await parseSkillFile(file(quoted), "pdf-forms")).toEqual({
      skill: {
        name: "pdf-forms",
        description: "Fills forms. Use it for PDF files.",
        body: "Do it.",
        license: "Apache-2.0",
        compatibility: "Needs pdftk",
        metadata: { author: "acme", version: "1.5" },
        allowedTools: ["Bash(pdftk *)", "Bash(jq:*)", "Read"],
        argumentHint: "[file] [field]",
        isModelInvocable: false,
        isUserInvocable: false,
        model: "haiku",
        effort: "low",
        fork: { agent: "Explore" },
      },
    });
  });

  it("needs only a description; the name defaults to the folder's", async () => {
    expect(await skill("description: Fills forms", "pdf")).toMatchObject({
      skill: {
        name: "pdf",
        description: "Fills forms",
        allowedTools: [],
        isModelInvocable: true,
        isUserInvocable: true,
        fork: undefined,
        model: undefined,
      },
    });
    expect(await skill(NAMED)).toMatchObject({ skill: { name: "pdf" } });
    expect(await skill("description: Without a folder")).toHaveProperty("problem");
  });

  it.each(["pdf", "a", "0", "a-b-c", "a".repeat(64)])("accepts the name %s", async (name) => {
    expect(await problem(`name: "${name}"\ndescription: x`, name)).toBe("");
  });

  it.each(["PDF", "-pdf", "pdf-", "pdf--form", "pdf_form", "pdf form", "é", "", "a".repeat(65)])(
    "refuses the name %j",
    async (name) => {
      expect(await problem(`name: "${name}"\ndescription: x`, name)).toContain("lowercase letters");
    },
  );

  it("must have the name of its folder", async () => {
    expect(await problem(NAMED, "forms")).toBe(
      "has the name pdf in a folder named forms: both must be the same",
    );
  });

  it.each([
    ["description: " + "x".repeat(1024), ""],
    ["description: " + "x".repeat(1025), "needs a description of up to 1024 characters"],
    ['description: " "', "needs a description of up to 1024 characters"],
    ["license: MIT", "needs a description of up to 1024 characters"],
    [`description: x\ncompatibility: ${"x".repeat(500)}`, ""],
    [`description: x\ncompatibility: ${"x".repeat(501)}`, "up to 500 characters as compatibility"],
    ["description: x\nmetadata: [a]", "needs texts by name as metadata"],
    ["description: x\nmetadata: { a: { b: c } }", "needs texts by name as metadata"],
    ["description: x\nallowed-tools: [Read, Grep]", ""],
    ["description: x\nallowed-tools: { Read: true }", "as allowed-tools"],
    ["description: x\nallowed-tools: Bash(rm", "as allowed-tools"],
    ["description: x\nallowed-tools: Bash()", "as allowed-tools"],
    ["description: x\ndisable-model-invocation: never", "as disable-model-invocation"],
    ["description: x\nuser-invocable: 1", "as user-invocable"],
    ["description: x\ncontext: inline", 'supports only "fork" as context'],
    ["description: x\nmodel: $(id)", "names no model"],
    ["description: Use it: when asked", "has invalid YAML front matter"],
    ["description: &a x\nlicense: *a", "has invalid YAML front matter"],
    ["future-key: [1, 2]\ndescription: x", ""],
  ])("is refused with the place of the error: %s", async (front, expected) => {
    const found = await problem(front);
    if (expected === "") expect(found).toBe("");
    else expect(found).toContain(expected);
  });

  it("is required, and so are instructions after it", async () => {
    expect(await parseSkillFile("Do it.", "pdf")).toEqual({
      problem: "has no front matter between two lines of ---",
    });
    expect(await parseSkillFile(file(NAMED, ""), "pdf")).toEqual({
      problem: "has no instructions behind its front matter",
    });
    expect(await problem(`${NAMED}\nlicense: ${"x".repeat(16_000)}`)).toContain("too long");
  });

  it("lists tools as a text or a list, with spaces only inside a pattern", async () => {
    const rules = async (value: string): Promise<readonly string[]> => {
      const parsed = await skill(`${NAMED}\nallowed-tools: ${value}`);
      return "skill" in parsed ? parsed.skill.allowedTools : [];
    };
    const expected = ["Bash(git add *)", "Bash(npm test)", "Grep"];
    expect(await rules("Bash(git add *) Bash(npm test) Grep")).toEqual(expected);
    expect(await rules("Bash(git add *), Bash(npm test),Grep")).toEqual(expected);
    expect(await rules("\n  - Bash(git add *)\n  - Bash(npm test)\n  - Grep")).toEqual(expected);
  });
});

describe("a command file", () => {
  it("is named after its file, and its front matter is optional", async () => {
    const parsed = await parseCommandFile("# Review $1\n\nLook at it.", "review_code");
    expect(parsed).toMatchObject({
      skill: {
        name: "review_code",
        description: "Review $1",
        body: "# Review $1\n\nLook at it.",
        isModelInvocable: false,
        isUserInvocable: true,
      },
    });
  });

  it("is also for the model when it has a description", async () => {
    expect(await parseCommandFile(file("description: Reviews"), "review")).toMatchObject({
      skill: { description: "Reviews", isModelInvocable: true },
    });
    const disabled = file("description: Reviews\ndisable-model-invocation: true");
    expect(await parseCommandFile(disabled, "review")).toMatchObject({
      skill: { isModelInvocable: false },
    });
    expect(await parseCommandFile("x", "a.b")).toHaveProperty("problem");
  });
});
