import { Script } from "node:vm";
import { expect, it } from "vitest";
import { settlingLast } from "../../../packages/shell/src/commands/js/last-statement.ts";

/** As QuickJS reads the inside of a function. */
function parses(text: string): boolean {
  try {
    void new Script(`(function () {${text}\n})`);
    return true;
  } catch {
    return false;
  }
}

const F = "async function f() {}";

it.each([
  [`${F}\nf();\n`, `${F}\n__settle(f()\n);\n`],
  [`${F} f()`, `${F}__settle( f()\n)`],
  [`${F}\n(f)()`, `${F}\n__settle((f)()\n)`],
  [`const f = async () => {}\n(f)()`, `const f = async () => {}\n__settle((f)()\n)`],
  [`${F}\nif (1) {\n  f();\n}\n`, `${F}\nif (1) {\n__settle(  f()\n);\n}\n`],
  [`f.then\n+ g()`, `__settle(f.then\n+ g()\n)`],
  [`${F};\nf(";"); // now\n`, `${F};\n__settle(f(";")\n); // now\n`],
  [`${F}\nf(\`\n;\`)\n// end\n`, `${F}\n__settle(f(\`\n;\`)\n)\n// end\n`],
  [`${F}\nif (true) f();`, `${F}\nif (true)__settle( f()\n);`],
  [`const f = async () => {\n  1;\n};\nf().then(g)\n  .then(h);`, undefined],
])("passes on the value of the last statement of %j", (program, expected) => {
  const settling = settlingLast(program, parses);
  if (expected) expect(settling).toBe(expected);
  expect(parses(settling)).toBe(true);
  expect(settling.split("__settle(")).toHaveLength(2);
});

it.each([
  "f();",
  `${F}`,
  `const f = async function () {}\n(f)()`,
  `const f = async function () {}\n[0].map(f)`,
  `const g = f.then\n+ g()`,
  `${F}\nconst g = f();`,
  `${F}\nclass A {}`,
  `${F}\n{ f(); }`,
  `${F}\nif (1) { const g = f(); }`,
  `${F}\nconst g = { f() { f(); } }`,
  `const f = async () => 1; // f(); g()`,
  `async (`,
])("leaves %j alone", (program) => {
  expect(settlingLast(program, parses)).toBe(program);
});

it("looks at the end of a long program only", () => {
  let looks = 0;
  const program = `${F}\n${"f(1)\n+ 1\n".repeat(5_000)}+ 1`;
  settlingLast(program, (text) => {
    looks += 1;
    return parses(text);
  });
  expect(looks).toBeLessThan(1_000);
});
