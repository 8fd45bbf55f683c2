import { compileCall } from "./calls.ts";
import { compileBinding, compileForeach, compileReduce } from "./bindings.ts";
import {
  compileAlternative,
  compileArray,
  compileComma,
  compileIf,
  compileLogic,
  compileObject,
  compilePipe,
  compileString,
  compileTry,
  labelled,
} from "./constructs.ts";
import { type Filter, frameAt, many, oneByOne, single } from "./filter.ts";
import { compileOperation, negated } from "./operators.ts";
import { BreakSignal, indexed, iterated, sliced } from "./access.ts";
import { compileAssignment } from "./assignments.ts";
import { compileUnary } from "./unary.ts";
import type { Compiler } from "./compiler.ts";
import { described } from "./errors.ts";
import { formatted } from "./builtins/formats.ts";
import { inFile, type Module } from "./modules.ts";
import { type FunctionEntry, lookUp, NameScope } from "./scope.ts";
import { type Definition, type Node, type NodeOf, ProgramError } from "./syntax/tree.ts";

type Shared = Pick<Compiler, "machine" | "globals" | "library" | "used">;

/** Compiles a program to a filter that is run with an empty environment. @throws {ProgramError} */
export function compileProgram(
  program: Module,
  options: Pick<Compiler, "machine" | "globals">,
): { filter: Filter; usesExpressions: boolean } {
  const shared: Shared = { ...options, library: new Map(), used: new Set() };
  const { compiler, scope } = compileModule(program, shared, new Map());
  // A program without a filter gives its input.
  const body = program.program.body ?? { type: "identity" };
  const filter = inFile(program, () => compiler.compile(body, scope));
  return { filter, usesExpressions: shared.used.has("expressions") };
}

interface Compiled {
  readonly compiler: Compiler;
  /** The names that a module has, its imports included. */
  readonly scope: NameScope;
  readonly functions: readonly { readonly name: string; readonly entry: FunctionEntry }[];
}

/** Compiles the definitions of a module, each of which knows those before it. */
function compileModule(module: Module, shared: Shared, known: Map<Module, Compiled>): Compiled {
  const former = known.get(module);
  if (former) return former;
  const compiler: Compiler = {
    ...shared,
    source: module.source,
    globals: new Map([...shared.globals, ...module.data]),
    compile: (inner, scope, isTail = false) => compileNode(inner, scope, isTail, compiler),
    define: (definition, scope) => define(definition, scope, compiler),
  };
  let scope = new NameScope();
  for (const { prefix, module: imported } of module.imports) {
    for (const { name, entry } of compileModule(imported, shared, known).functions)
      scope = scope.withFunction(prefix + name, entry.params.length, entry);
  }
  const functions: { name: string; entry: FunctionEntry }[] = [];
  for (const definition of module.program.definitions) {
    const { name, params } = definition;
    const entry = inFile(module, () => compiler.define(definition, scope));
    scope = scope.withFunction(name, params.length, entry);
    functions.push({ name, entry });
  }
  const compiled = { compiler, scope, functions };
  known.set(module, compiled);
  return compiled;
}

function define(definition: Definition, scope: NameScope, compiler: Compiler): FunctionEntry {
  const { name, params, body } = definition;
  const entry: FunctionEntry = { params, depth: scope.depth, body: undefined };
  let inner = scope.withFunction(name, params.length, entry);
  for (const param of params) inner = inner.withFrame("param", param);
  entry.body = compiler.compile(body, inner, true);
  return entry;
}

function compileNode(node: Node, scope: NameScope, isTail: boolean, compiler: Compiler): Filter {
  const compile = (inner: Node): Filter => compiler.compile(inner, scope);
  const { machine } = compiler;
  switch (node.type) {
    case "identity":
      return oneByOne((input) => input);
    case "literal": {
      const { value } = node;
      return single(() => value);
    }
    case "index":
      return indexed(compile(node.of), compile(node.key), machine);
    case "slice":
      return sliced(compile(node.of), node.from && compile(node.from), node.to && compile(node.to));
    case "iterate":
      return iterated(compile(node.of), machine);
    case "string":
      return compileString(
        node.parts.map((part) => (typeof part === "string" ? part : compile(part))),
        (value) => formatted(node.format, value, machine),
        machine,
      );
    case "format":
      return single((value) => formatted(node.name, value, machine));
    case "array":
      return compileArray(node.body && compile(node.body), machine);
    case "object":
      assertKeys(node);
      return compileObject(node.entries.map(([key, value]) => [compile(key), compile(value)]));
    case "negate":
      return compileUnary(compile(node.of), negated);
    case "pipe":
      return compilePipe(compile(node.left), compiler.compile(node.right, scope, isTail));
    case "comma":
      return compileComma(compile(node.left), compiler.compile(node.right, scope, isTail));
    case "and":
    case "or":
      return compileLogic(node.type, compile(node.left), compile(node.right));
    case "alternative":
      return compileAlternative(compile(node.left), compiler.compile(node.right, scope, isTail));
    case "binary":
      return compileOperation(node.operator, compile(node.left), compile(node.right), machine);
    case "assign":
      return compileAssignment(node.operator, compile(node.left), compile(node.right), machine);
    case "if":
      return compileIf(
        compile(node.condition),
        compiler.compile(node.body, scope, isTail),
        node.otherwise && compiler.compile(node.otherwise, scope, isTail),
      );
    case "try":
      return compileTry(compile(node.body), node.handler && compile(node.handler));
    case "reduce":
      return compileReduce(node, scope, compiler);
    case "foreach":
      return compileForeach(node, scope, compiler);
    case "bind":
      return compileBinding(node, scope, compiler, isTail);
    case "define": {
      const { definition, body } = node;
      const entry = compiler.define(definition, scope);
      const inner = scope.withFunction(definition.name, definition.params.length, entry);
      return compiler.compile(body, inner, isTail);
    }
    case "call":
      return compileCall(node, scope, compiler, isTail);
    case "variable":
      return compileVariable(node.name, node.at, scope, compiler);
    case "label":
      return labelled(compiler.compile(node.body, scope.withFrame("label", node.name)));
    case "break":
      return compileBreak(node.name, node.at, scope);
  }
}

function assertKeys({ entries }: NodeOf<"object">): void {
  for (const [key] of entries)
    if (key.type === "literal" && typeof key.value !== "string")
      throw new ProgramError(`Cannot use ${described(key.value)} as object key`, 0);
}

function compileVariable(name: string, at: number, scope: NameScope, compiler: Compiler): Filter {
  const found = lookUp(scope, "variable", name);
  if (found) {
    const distance = scope.depth - found.depth;
    return single((_, env) => frameAt(env, distance)?.value ?? null);
  }
  const value = compiler.globals.get(name);
  if (value === undefined) throw new ProgramError(`$${name} is not defined`, at);
  return single(() => value);
}

function compileBreak(name: string, at: number, scope: NameScope): Filter {
  const found = lookUp(scope, "label", name);
  if (!found) throw new ProgramError(`$*label-${name} is not defined`, at);
  const distance = scope.depth - found.depth;
  // oxlint-disable-next-line require-yield -- it only ends others
  return many(function* (_, env) {
    throw new BreakSignal(frameAt(env, distance));
  });
}
