import { expect, it } from "vitest";
import { readFacts } from "./export-facts.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

it("reads what an export says of itself, and refuses other files", () => {
  const session = { name: "n".repeat(500), provider: "offline", model: "script-1", updatedAt: "?" };
  const header = { format: "robota-session", version: 1, session };
  expect(readFacts(bytesOf(`${JSON.stringify(header)}\n{}`))).toEqual({
    name: "n".repeat(120),
    model: "offline · script-1",
    updatedAt: "unknown",
  });
  for (const text of ["", "hello\n", "[1]\n", '{"session":{}}\n', '{"format":"x"}\n'])
    expect(() => readFacts(bytesOf(text))).toThrow("not an exported session");
});
