import { describe, expect, it } from "vitest";
import { ScriptedProvider } from "../../testing/scripted-provider.ts";
import { Robota } from "../../agent/robota.ts";
import { validateWorkflow, type WorkflowStep } from "./workflow.ts";
import { createWorkflowConverter, runWorkflow, type WorkflowAgent } from "./workflow-run.ts";

const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Echoes its prompt after a delay, and counts the concurrent calls. */
function echo(log: string[] = [], delayMs = 1): { agent: WorkflowAgent; most: () => number } {
  let running = 0;
  let most = 0;
  const agent: WorkflowAgent = {
    async run(input, options) {
      most = Math.max(most, ++running);
      log.push(`> ${input}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, delayMs);
        options?.signal?.addEventListener("abort", () => {
          clearTimeout(timer);
          resolve();
        });
      });
      running -= 1;
      const interrupted = options?.signal?.aborted ?? false;
      log.push(`< ${input}`);
      return { text: `[${input}]`, interrupted, rounds: 1, usage: noUsage };
    },
  };
  return { agent, most: () => most };
}

const step = (id: string, prompt: string, more: Partial<WorkflowStep> = {}): WorkflowStep => ({
  id,
  agent: "echo",
  prompt,
  ...more,
});

describe("a workflow", () => {
  it("runs agents one after another, each with the previous results", async () => {
    const writer = new ScriptedProvider([{ text: "A draft" }, { text: "A better draft" }]);
    const critic = new ScriptedProvider([{ text: "Too short" }]);
    const result = await runWorkflow(
      {
        steps: [
          { id: "improve", agent: "writer", prompt: "Mind this: {{ steps.review }}" },
          { id: "draft", agent: "writer", prompt: "Write about {{input.topic}}" },
          { id: "review", agent: "critic", prompt: "Review: {{steps.draft}}" },
        ],
      },
      {
        agents: {
          writer: new Robota({ provider: writer }),
          critic: new Robota({ provider: critic }),
        },
        input: { topic: "tea" },
      },
    );
    expect(result).toMatchObject({ status: "done", text: "A better draft" });
    expect(Object.keys(result.steps)).toEqual(["improve", "draft", "review"]);
    expect(critic.requests[0]?.messages.at(-1)?.content).toBe("Review: A draft");
    expect(writer.requests[1]?.messages.map(({ content }) => content)).toEqual([
      "Write about tea",
      "A draft",
      "Mind this: Too short",
    ]);
  });

  it("runs independent steps concurrently, up to a limit", async () => {
    const log: string[] = [];
    const { agent, most } = echo(log, 5);
    const ids = ["a", "b", "c", "d"];
    const steps = [
      ...ids.map((id) => step(id, id)),
      step("end", ids.map((id) => `{{steps.${id}}}`).join("")),
    ];
    const result = await runWorkflow({ steps }, { agents: { echo: () => agent }, concurrency: 3 });
    expect(most()).toBe(3);
    expect(log.slice(0, 3)).toEqual(["> a", "> b", "> c"]);
    expect(result.text).toBe("[[a][b][c][d]]");
  });

  it("runs one step at a time per agent", async () => {
    const { agent, most } = echo();
    const result = await runWorkflow(
      { steps: [step("a", "a"), step("b", "b"), step("c", "c", { after: ["a"] })] },
      { agents: { echo: agent } },
    );
    expect([most(), result.status, result.text]).toEqual([1, "done", "[b]\n\n[c]"]);
  });

  it("skips the dependants of a failed step, and runs the rest", async () => {
    const failing = new Robota({ provider: new ScriptedProvider([{ error: "down" }]) });
    const throwing: WorkflowAgent = { run: () => Promise.reject(new Error("broken")) };
    const seen: string[] = [];
    const result = await runWorkflow(
      {
        steps: [
          step("fails", "x", { agent: "failing" }),
          step("throws", "x", { agent: "throwing" }),
          step("needs", "{{steps.fails}}"),
          step("later", "y", { after: ["needs"] }),
          step("free", "z"),
        ],
      },
      {
        agents: { failing, throwing, echo: echo().agent },
        onStep: ({ id }, state) => seen.push(`${id} ${state === "running" ? state : state.status}`),
      },
    );
    expect(result).toMatchObject({
      status: "failed",
      steps: {
        fails: { status: "failed", error: { message: "down" } },
        throws: { status: "failed", error: { message: "broken" } },
        needs: { status: "skipped" },
        later: { status: "skipped" },
        free: { status: "done", text: "[z]" },
      },
    });
    expect(seen.filter((text) => text.startsWith("free"))).toEqual(["free running", "free done"]);
  });

  it("aborts", async () => {
    const stop = new AbortController();
    const result = await runWorkflow(
      { steps: [step("a", "a"), step("b", "{{steps.a}}")] },
      {
        agents: { echo: echo([], 10_000).agent },
        signal: stop.signal,
        onStep: () => setTimeout(() => stop.abort(), 5),
      },
    );
    expect(result).toMatchObject({
      status: "interrupted",
      steps: { a: { status: "interrupted", text: "[a]" }, b: { status: "skipped" } },
    });
    const late = await runWorkflow(
      { steps: [step("a", "a")] },
      { agents: { echo: echo().agent }, signal: AbortSignal.abort() },
    );
    expect(late).toMatchObject({ status: "interrupted", steps: { a: { status: "skipped" } } });
  });

  it("inserts answers literally, even those that look like references", async () => {
    const { agent } = echo();
    const result = await runWorkflow(
      { steps: [step("a", "{{input.x}}"), step("b", "{{steps.a}}")] },
      { agents: { echo: agent }, input: { x: "$& {{steps.b}}" } },
    );
    expect(result.text).toBe("[[$& {{steps.b}}]]");
  });
});

it("can be prepared, reports its required inputs, and runs repeatedly", async () => {
  const converter = createWorkflowConverter({ echo: echo().agent });
  const workflow = converter.convert({ steps: [step("a", "{{input.x}} {{input.y}} {{input.x}}")] });
  expect(workflow.inputs).toEqual(["x", "y"]);
  expect((await workflow.run({ input: { x: "1", y: "2" } })).text).toBe("[1 2 1]");
  expect((await workflow.run({ input: { x: "3", y: "4" } })).text).toBe("[3 4 3]");
  await expect(workflow.run()).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  expect(() => converter.convert({ steps: [step("a", "a", { agent: "none" })] })).toThrow(
    expect.objectContaining({ code: "VALIDATION_ERROR" }),
  );
});

it("rejects with a listener's error", async () => {
  const running = runWorkflow(
    { steps: [step("a", "a")] },
    {
      agents: { echo: echo().agent },
      onStep: (_, state) => {
        if (state !== "running") throw new Error("listener");
      },
    },
  );
  await expect(running).rejects.toThrow("listener");
});

describe("an invalid workflow", () => {
  const broken = {
    steps: [
      step("draft", "About {{input.topci}} {{weather}}", { agent: "ecko" }),
      step("draft", "again"),
      step("two words", " "),
      step("x", "{{steps.y}} {{steps.z}}"),
      step("y", "go", { after: ["x"] }),
      step("self", "{{steps.self}}"),
    ],
  };

  it("is rejected with all problems at once", () => {
    const problems = validateWorkflow(broken, { agents: ["echo"], inputs: ["topic"] });
    expect(problems.map(({ code, step: id }) => `${code} ${id}`)).toEqual([
      "duplicate_id draft",
      "bad_id two words",
      "unknown_agent draft",
      "missing_input draft",
      "bad_reference draft",
      "empty_prompt two words",
      "unknown_step x",
      "cycle x",
      "cycle self",
    ]);
    expect(problems.find(({ code }) => code === "unknown_agent")?.message).toContain(
      "did you mean echo?",
    );
    expect(problems.find(({ code }) => code === "cycle")?.message).toContain("x → y → x");
    expect(validateWorkflow({ steps: [] }, { agents: [] })).toMatchObject([{ code: "no_steps" }]);
  });

  it("does not start", async () => {
    const log: string[] = [];
    const running = runWorkflow(broken, { agents: { echo: echo(log).agent } });
    await expect(running).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      message: expect.stringContaining('There is no agent "ecko"'),
    });
    expect(log).toEqual([]);
  });
});
