import { valueAtPath, withValueAt } from "./assignments.ts";
import type { Compiler } from "./compiler.ts";
import { type Env, plain } from "./filter.ts";
import type { Owned } from "./items.ts";
import { operations } from "./operators.ts";
import type { NameScope } from "./scope.ts";
import type { BinaryOperator, Node } from "./syntax/tree.ts";
import {
  isArray,
  isObject,
  isTrue,
  type OpenObject,
  slotsOf,
  type Value,
  valueAt,
} from "./values.ts";

/** The next state of a `reduce`, which may be the former one changed, as far as the `reduce` itself made it. */
type Change = (state: Value, env: Env, owned: Owned) => Value;

/** The update of a `reduce` without a copy of its state; `undefined` for one that could keep parts of the state. */
export function inPlace(node: Node, scope: NameScope, compiler: Compiler): Change | undefined {
  switch (node.type) {
    case "identity":
      return (state) => state;
    case "pipe": {
      const first = inPlace(node.left, scope, compiler);
      const next = inPlace(node.right, scope, compiler);
      return first && next && ((state, env, owned) => next(first(state, env, owned), env, owned));
    }
    case "if": {
      const { one } = compiler.compile(node.condition, scope);
      const then = inPlace(node.body, scope, compiler);
      const otherwise = inPlace(node.otherwise ?? { type: "identity" }, scope, compiler);
      if (!one || !then || !otherwise) return undefined;
      return (state, env, owned) =>
        (isTrue(plain(one(state, env))) ? then : otherwise)(state, env, owned);
    }
    case "binary":
      if (node.operator !== "+" || node.left.type !== "identity") return undefined;
      return withOperand(node.right, scope, compiler, (state, operand, owned) =>
        added(state, operand, owned, compiler),
      );
    case "assign":
      return assignment(node.operator, node.left, node.right, scope, compiler);
    default:
      return undefined;
  }
}

/** A change by the one value of an operand. */
function withOperand(
  node: Node,
  scope: NameScope,
  compiler: Compiler,
  change: (state: Value, operand: Value, owned: Owned, env: Env) => Value,
): Change | undefined {
  const { one } = compiler.compile(node, scope);
  if (!one) return undefined;
  const mayKeep = readsInput(node);
  return (state, env, owned) => {
    const operand = plain(one(state, env));
    // It may have parts of the state, which then are in two places.
    if (mayKeep && typeof operand === "object" && operand !== null) owned.clear();
    return change(state, operand, owned, env);
  };
}

function added(state: Value, operand: Value, owned: Owned, { machine }: Compiler): Value {
  if (state !== null && owned.has(state)) {
    if (isArray(state) && isArray(operand)) {
      machine.elements(operand.length);
      if (state.length % 4096 === 0) machine.elements(state.length);
      for (const item of operand) (state as Value[]).push(item);
      return state;
    }
    if (isObject(state) && isObject(operand)) {
      for (const slot of slotsOf(operand)) (state as OpenObject)[slot] = valueAt(operand, slot);
      return state;
    }
  }
  const sum = operations["+"](state, operand, machine);
  if (sum !== state && sum !== operand && typeof sum === "object") owned.add(sum);
  return sum;
}

function assignment(
  operator: string,
  left: Node,
  right: Node,
  scope: NameScope,
  compiler: Compiler,
): Change | undefined {
  const { machine } = compiler;
  if (operator === "|") return undefined;
  const keys = keysOf(left)?.map((key) => compiler.compile(key, scope).one);
  if (!keys || keys.length === 0) return undefined;
  const ones = keys.flatMap((one) => (one ? [one] : []));
  if (ones.length < keys.length) return undefined;
  return withOperand(right, scope, compiler, (state, operand, owned, env) => {
    const path = ones.map((one) => plain(one(state, env)));
    const options = { owned, machine };
    if (operator === "") return withValueAt(state, path, operand, options);
    const old = valueAtPath(state, path, machine);
    if (operator === "//") return withValueAt(state, path, isTrue(old) ? old : operand, options);
    const next =
      operator === "+"
        ? added(old, operand, owned, compiler)
        : operations[operator as BinaryOperator](old, operand, machine);
    return withValueAt(state, path, next, options);
  });
}

/** The keys of a path that only has keys. */
function keysOf(node: Node): Node[] | undefined {
  if (node.type === "identity") return [];
  if (node.type !== "index") return undefined;
  const before = keysOf(node.of);
  return before && [...before, node.key];
}

/** Tells whether the result may have parts of the input in it. */
function readsInput(node: Node): boolean {
  switch (node.type) {
    case "literal":
    case "variable":
    case "string":
    case "format":
      return false;
    case "index":
      return readsInput(node.of);
    case "pipe":
      return readsInput(node.left);
    case "array":
      return node.body !== undefined && readsInput(node.body);
    case "object":
      return node.entries.some(([, value]) => readsInput(value));
    case "binary":
      return readsInput(node.left) || readsInput(node.right);
    default:
      return true;
  }
}
