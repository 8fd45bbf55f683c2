import { PassThrough } from "node:stream";
import { nodeTerminal } from "@robota/adapters-node";
import { promptForApproval, Session } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { describe, expect, it } from "vitest";
import { echo, echoCall, until } from "../../support/support.ts";

function terminalWith(isTTY = false) {
  const [input, output, error] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let shown = "";
  let complained = "";
  output.on("data", (text: Buffer) => (shown += text.toString()));
  error.on("data", (text: Buffer) => (complained += text.toString()));
  const terminal = nodeTerminal({ input, output: Object.assign(output, { isTTY }), error });
  return { terminal, input, shown: () => shown, complained: () => complained };
}

describe("the terminal of a process", () => {
  it("lets a person fill in a server's form, field by field", async () => {
    const { terminal, input, shown } = terminalWith();
    const fields = {
      name: { type: "string", title: "Your name" },
      age: { type: "integer" },
      city: { type: "string", description: "Where to" },
      colour: { type: "string", enum: ["red", "blue"] },
      polite: { type: "boolean" },
    };
    const answer = { name: null, age: null, city: "Bern", colour: null, polite: true };
    const given = promptForApproval(terminal, "mcp__weather__elicitation", {
      message: "Who are you?",
      fields,
      answer,
      required: ["name", "colour"],
      problems: ["name: required"],
    });
    for (const [question, typed] of [
      ["2. Decline", "1"],
      ["Your name (required): ", "Ada"],
      ["age: ", "36"],
      ["city – Where to [Bern]: ", ""],
      ["2. blue", "2"],
      ["3. No answer", ""],
    ] as const) {
      await until(() => shown().includes(question));
      input.write(`${typed}\n`);
    }
    expect(await given).toEqual({
      allow: true,
      updatedArgs: { answer: { name: "Ada", age: 36, city: "Bern", colour: "blue", polite: true } },
    });
    expect(shown()).toContain("Who are you?");
    expect(shown()).toContain("name: required");
    const other = promptForApproval(terminal, "mcp__weather__elicitation", { fields, answer });
    await until(() => shown().split("2. Decline").length > 2);
    input.write("\n");
    expect(await other).toMatchObject({ allow: false });
  });

  it("writes, asks for a text and for a choice, and repeats an invalid answer", async () => {
    const { terminal, input, shown, complained } = terminalWith();
    terminal.write("a");
    terminal.writeLine("b");
    terminal.writeError("c");
    const name = terminal.prompt("Name? ");
    input.write("Ada\n");
    expect(await name).toBe("Ada");
    const asked = (count: number) => until(() => shown().split("1 to 2").length > count);
    const second = terminal.select(["yes", "no"], 0);
    for (const [index, answer] of ["7\n", "x\n", "2\n"].entries()) {
      await asked(index + 1);
      input.write(answer);
    }
    expect(await second).toBe(1);
    const initial = terminal.select(["yes", "no"], 1);
    await asked(4);
    input.write("\n");
    expect(await initial).toBe(1);
    expect(shown()).toMatch(/^ab\nName\? .*1\. yes\n {2}2\. no\n/s);
    expect(complained()).toBe("c\n");
  });

  it("does not wait for an answer that can't come", async () => {
    const { terminal, input } = terminalWith();
    const asked = terminal.select(["yes", "no"]);
    input.end();
    await expect(asked).rejects.toThrow("ended without an answer");
  });

  it("draws spinners only on a terminal", async () => {
    const plain = terminalWith();
    plain.terminal.spinner("Thinking").stop();
    expect(plain.shown()).toBe("");
    const live = terminalWith(true);
    const spinner = live.terminal.spinner("Thinking");
    await until(() => live.shown().includes("⠋ Thinking"));
    spinner.update("Running echo");
    await until(() => live.shown().includes("Running echo"));
    spinner.stop();
    await until(() => live.shown().endsWith("\r\u001B[K"));
  });

  it("lets a person allow a call of a session", async () => {
    const { terminal, input, shown } = terminalWith();
    const session = new Session({
      provider: new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "done" }]),
      tools: [echo],
      terminal,
      promptForApproval,
    });
    const running = session.run("go");
    await until(() => shown().includes("or Enter for"));
    expect(shown()).toContain("The agent wants to use echo:\n  text: x\n");
    input.write("1\n");
    await running;
    expect(session.getHistory().find(({ role }) => role === "tool")?.content).toBe("said x");
    await session.shutdown();
  });
});
