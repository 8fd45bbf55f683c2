import { expect, it } from "vitest";
import { Robota } from "../agent/robota.ts";
import { runWorkflow } from "../toolkit/workflows/workflow-run.ts";
import { ScriptedProvider, type ScriptedStep } from "../testing/scripted-provider.ts";
import { createFunctionTool } from "../tools/function-tool.ts";
import { AGENT_EVENTS, type OwnedEvent } from "./event-service.ts";

const fine = createFunctionTool("fine", "Works", { type: "object" }, () => "x".repeat(200));
const calls = [{ name: "fine" }, { name: "none" }];

function recorder(): { events: OwnedEvent[]; emit: (event: OwnedEvent) => void } {
  const events: OwnedEvent[] = [];
  return { events, emit: (event) => void events.push(event) };
}

async function eventsOf(
  ...script: ScriptedStep[]
): Promise<{ names: string[]; events: OwnedEvent[] }> {
  const eventService = recorder();
  const provider = new ScriptedProvider(script);
  await new Robota({ provider, tools: [fine], eventService }).run("go");
  const { events } = eventService;
  return { events, names: events.map(({ name }) => name) };
}

it("emits a run's events by owner and name, in order", async () => {
  const { names, events } = await eventsOf({ toolCalls: calls }, { text: "done" });
  expect(names).toEqual([
    "agent.created",
    "user.input",
    "execution.start",
    "tool.execute_start",
    "tool.execute_success",
    "tool.execute_error",
    "execution.tool_results",
    "execution.complete",
    "agent.completion",
  ]);
  for (const { name, ownerPath } of events) {
    expect(name.split(".")[0]).toBe(ownerPath.at(-1)?.ownerType);
    expect(ownerPath[0]?.ownerType).toBe("agent");
  }
  expect((await eventsOf({ error: "down" })).names.at(-1)).toBe("execution.error");
});

it("reports how many results of a batch were added and skipped", async () => {
  const eventService = recorder();
  const big = createFunctionTool("big", "Much", { type: "object" }, () => "x".repeat(16_000));
  const provider = new ScriptedProvider([
    { toolCalls: [{ name: "big" }, { name: "big" }, { name: "big" }] },
    { toolCalls: [{ name: "none" }] },
    { text: "done" },
  ]);
  await new Robota({ provider, tools: [big], contextWindow: 10_000, eventService }).run("go");
  const outcomes = eventService.events
    .filter(({ name }) => name === "execution.tool_results")
    .map(({ data }) => data);
  expect(outcomes[0]).toEqual({ contextOverflowed: true, addedCount: 1, skippedCount: 2 });
  const { events } = await eventsOf({ toolCalls: calls }, { text: "done" });
  expect(events.find(({ name }) => name === "execution.tool_results")?.data).toEqual({
    contextOverflowed: false,
    addedCount: 2,
    skippedCount: 0,
  });
});

it("emits the steps of a workflow as tasks", async () => {
  const eventService = recorder();
  const agent = (script: ScriptedStep) => () =>
    new Robota({ provider: new ScriptedProvider([script]) });
  await runWorkflow(
    {
      steps: [
        { id: "one", agent: "good", prompt: "Do" },
        { id: "two", agent: "bad", prompt: "{{steps.one}}" },
        { id: "three", agent: "good", prompt: "{{steps.two}}" },
      ],
    },
    { agents: { good: agent({ text: "ok" }), bad: agent({ error: "down" }) }, eventService },
  );
  expect(
    eventService.events.map(({ name, ownerPath }) => [name, ownerPath.at(-1)?.ownerId]),
  ).toEqual([
    ["task.started", "one"],
    ["task.completed", "one"],
    ["task.started", "two"],
    ["task.failed", "two"],
  ]);
  expect(eventService.events[0]?.ownerPath.map(({ ownerType }) => ownerType)).toEqual([
    "workflow",
    "task",
  ]);
});

it("lists all names that agents and workflows emit", () => {
  expect([...AGENT_EVENTS].toSorted()).toEqual([
    "agent.completion",
    "agent.created",
    "execution.complete",
    "execution.error",
    "execution.start",
    "execution.tool_results",
    "task.completed",
    "task.failed",
    "task.started",
    "tool.execute_error",
    "tool.execute_start",
    "tool.execute_success",
    "user.input",
  ]);
});
