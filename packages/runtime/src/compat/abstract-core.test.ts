import { describe, expect, it } from "vitest";
import { ModuleRegistry, Robota, type RunResult } from "../index.ts";
import {
  type ExecutionRequest,
  type Module,
  runWorkflow,
  type WorkflowDefinition,
  type WorkflowProblem,
} from "../entries/toolkit.ts";
import { ScriptedProvider } from "../testing/scripted-provider.ts";
import {
  AbstractAgent,
  AbstractEventService,
  AbstractExecutor,
  AbstractModule,
  AbstractWorkflowConverter,
  AbstractWorkflowValidator,
  ExecutionService,
  Plugins,
  Tools,
} from "./index.ts";

const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

describe("an agent written as a class", () => {
  class Careful extends AbstractAgent<string, RunResult> {
    readonly log: string[] = [];
    override beforeRun(input: string): string {
      return input.trim();
    }
    override afterRun(input: string, { text }: RunResult): void {
      this.log.push(`${input} -> ${text}`);
    }
    override onError(input: string): RunResult | undefined {
      return input === "forgive"
        ? { text: "sorry", interrupted: false, rounds: 0, usage }
        : undefined;
    }
    async execute(input: string): Promise<RunResult> {
      if (input !== "fine") throw new Error("broken");
      return { text: "done", interrupted: false, rounds: 1, usage };
    }
  }

  it("runs through its life cycle", async () => {
    const agent = new Careful();
    expect((await agent.run("  fine ")).text).toBe("done");
    expect((await agent.run("forgive")).text).toBe("sorry");
    await expect(agent.run("bad")).rejects.toThrow("broken");
    expect(agent.log).toEqual(["fine -> done", "forgive -> sorry"]);
  });

  it("executes the steps of a workflow", async () => {
    const steps = [{ id: "a", agent: "careful", prompt: "fine" }];
    expect((await runWorkflow({ steps }, { agents: { careful: new Careful() } })).text).toBe(
      "done",
    );
  });
});

it("runs agents on executors written as classes", async () => {
  class Forwarding extends AbstractExecutor {
    readonly name = "forwarding";
    readonly model = "m";
    readonly provider = new ScriptedProvider([{ text: "a" }, { text: "b" }]);
    executeStream({ messages, options }: ExecutionRequest) {
      return this.provider.chatStream(messages, options);
    }
  }
  const executor = new Forwarding();
  expect((await new Robota({ provider: executor }).run("Hi")).text).toBe("a");
  const messages = executor.provider.requests[0]?.messages ?? [];
  expect((await executor.execute({ messages })).content).toBe("b");
});

it("starts and stops modules written as classes once per use", async () => {
  class Counting extends AbstractModule<number, number> implements Module<number, number> {
    readonly name = "counting";
    starts = 0;
    stops = 0;
    override onInitialize(): void {
      this.starts += 1;
      if (this.starts === 1) throw new Error("not yet");
    }
    override onDispose(): void {
      this.stops += 1;
    }
    execute(input: number): number {
      return input + this.starts;
    }
  }
  const module = new Counting();
  const registry = new ModuleRegistry([module]);
  await expect(registry.execute("counting", 1)).rejects.toThrow("not yet");
  expect(module.isInitialized()).toBe(false);
  expect(await registry.execute("counting", 1)).toBe(3);
  await module.initialize();
  await registry.dispose();
  await module.dispose();
  expect([module.starts, module.stops, module.isInitialized()]).toEqual([2, 1, false]);
});

it("converts only values that its validator accepts", () => {
  class NoEmptyLines extends AbstractWorkflowValidator<string[]> {
    override *problems(lines: string[]): Generator<WorkflowProblem> {
      for (const [index, line] of lines.entries())
        if (line === "") yield { code: "empty_prompt", message: `Line ${index + 1} is empty` };
    }
  }
  class Lines extends AbstractWorkflowConverter<string[], WorkflowDefinition> {
    override readonly validator = new NoEmptyLines();
    convertWorkflow(lines: string[]): WorkflowDefinition {
      return { steps: lines.map((prompt, index) => ({ id: `s${index}`, agent: "a", prompt })) };
    }
  }
  const converter = new Lines();
  expect(converter.convert(["go"]).steps).toEqual([{ id: "s0", agent: "a", prompt: "go" }]);
  expect(() => converter.convert(["", "x", ""])).toThrow("Line 1 is empty; Line 3 is empty");
  expect([converter.validator.isValid(["x"]), converter.validator.isValid([""])]).toEqual([
    true,
    false,
  ]);
  expect(() => converter.validator.assertValid([""])).toThrow(
    expect.objectContaining({ code: "VALIDATION_ERROR" }),
  );
});

it("binds event services written as classes to owners", () => {
  class Listing extends AbstractEventService {
    readonly paths: string[] = [];
    emit({ name, ownerPath }: Parameters<AbstractEventService["emit"]>[0]): void {
      this.paths.push(`${name} ${ownerPath.map(({ ownerId }) => ownerId).join("/")}`);
    }
  }
  const service = new Listing();
  const bound = service.bind([{ ownerType: "session", ownerId: "s" }]);
  bound.emit({ name: "x", ownerPath: [{ ownerType: "agent", ownerId: "a" }], time: 0, data: {} });
  expect(service.paths).toEqual(["x s/a"]);
});

it("exports the specification's names for its classes", async () => {
  expect(new Tools().list()).toEqual([]);
  const order = ["low", "critical", "normal"] as const;
  const plugins = order.map((priority) => ({
    name: priority,
    category: "custom" as const,
    priority,
  }));
  expect(new Plugins(plugins, () => {}).plugins.map(({ name }) => name)).toEqual([
    "critical",
    "normal",
    "low",
  ]);
  const service = new ExecutionService({ provider: new ScriptedProvider([{ text: "ok" }]) });
  expect((await service.run("Hi")).text).toBe("ok");
});
