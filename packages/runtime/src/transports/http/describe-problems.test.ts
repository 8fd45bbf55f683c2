import { Validator } from "@cfworker/json-schema";
import errorsPage from "../../../../../docs/errors.md?raw";
import { expect, it } from "vitest";
import { document, at, problemFinder } from "../../../../../test/support/network/described.ts";
import { PROBLEM_SCENES } from "../../../../../test/support/network/problem-scenes.ts";

const problemsOf = problemFinder(Validator);
const schema = { $ref: "#/components/schemas/Problem" };
const { oneOf } = at(document, "components", "schemas", "Problem", "properties", "code");
const codes = (oneOf as { const: string }[]).map((alternative) => alternative.const);

// A new code needs a scene that brings a server to answer with it.
it("describes the codes of real answers, and no others", () => {
  expect(codes.toSorted()).toEqual(Object.keys(PROBLEM_SCENES).toSorted());
});

it("lists the codes in the table of the documentation", () => {
  const [, http = ""] = errorsPage.split("\n## HTTP\n");
  const named = [...http.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code);
  const others = ["MODEL_NOT_ALLOWED", "NO_PRINCIPAL", "INTERRUPTS_OPEN"];
  expect(new Set(named)).toEqual(new Set([...codes, ...others]));
});

for (const [code, answer] of Object.entries(PROBLEM_SCENES)) {
  it(`describes a real answer of ${code}, field by field`, async () => {
    const response = await answer();
    const problem = (await response.json()) as { code: string; status: number };
    expect(problem).toMatchObject({ code, status: response.status });
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(problemsOf(schema, problem)).toEqual([]);
  });
}
