import { IndexedArray } from "./indexed-array.ts";
import { type Holder, sizeOf, type VariableMemory } from "./variable-memory.ts";

export type Value = string | IndexedArray | Map<string, string>;

export type Attribute =
  | "exported"
  | "readonly"
  | "integer"
  | "lowercase"
  | "uppercase"
  | "reference"
  | "traced";

export interface Variable {
  /** `undefined` for a name that was only declared. */
  readonly value: Value | undefined;
  readonly attributes: ReadonlySet<Attribute>;
  /** An empty array or map that was only declared. */
  readonly isBlank?: boolean;
}

interface Slot {
  value: Value | undefined;
  attributes: ReadonlySet<Attribute>;
  isBlank: boolean;
  /** The table that may change this slot; others that share it copy it first. */
  owner: object;
}

/** A function, the assignments before the call of one, or those before another command. */
type ScopeKind = "function" | "call" | "command";

/** The bindings that a scope hides until it ends. */
interface Scope {
  readonly kind: ScopeKind;
  readonly hidden: Map<string, Slot | undefined>;
}

const NONE: ReadonlySet<Attribute> = new Set();

/** Begins the name by which a variable outside of all functions is reached from within them. */
const GLOBAL = "\u0001";

/** A name for the variable outside of all functions, whatever hides it. */
export function globalName(name: string): string {
  return GLOBAL + name;
}

/** The name without that. */
export function plainName(name: string): string {
  return name.startsWith(GLOBAL) ? name.slice(GLOBAL.length) : name;
}

/** The variables of a shell. A subshell begins with the same ones, and copies what it changes. */
export class VariableScopes implements Holder {
  readonly #memory: VariableMemory;
  #slots: Map<string, Slot>;
  #isShared = false;
  #owner: object = {};
  readonly #scopes: Scope[];

  constructor(memory: VariableMemory) {
    this.#memory = memory;
    this.#slots = new Map();
    this.#scopes = [];
    memory.add(this);
  }

  /** Called before an element of an array is set to a text of so many characters. */
  charge(characters: number): void {
    this.#memory.charge(characters);
  }

  /** Called at the end of the shell; the variables can still be read. */
  release(): void {
    this.#memory.delete(this);
  }

  held(seen: Set<object>): number {
    const hidden = this.#scopes.flatMap((scope) => [...scope.hidden.values()]);
    let held = 0;
    for (const slot of [...this.#slots.values(), ...hidden]) {
      if (!slot || seen.has(slot)) continue;
      seen.add(slot);
      held += sizeOfValue(slot.value);
    }
    return held;
  }

  /** The same variables, for a subshell. */
  fork(): VariableScopes {
    const copy = new VariableScopes(this.#memory);
    copy.#slots = this.#slots;
    copy.#isShared = true;
    copy.#scopes.push(
      ...this.#scopes.map(({ kind, hidden }) => ({ kind, hidden: new Map(hidden) })),
    );
    this.#isShared = true;
    this.#owner = {};
    return copy;
  }

  get(name: string): Variable | undefined {
    return this.#slots.get(name) ?? (name.startsWith(GLOBAL) ? this.#globalSlot(name) : undefined);
  }

  names(): string[] {
    return [...this.#slots.keys()].sort();
  }

  /** The names of variables with a value, those included that one without hides. */
  assignedNames(): string[] {
    const hidden = this.#scopes.flatMap((scope) => [...scope.hidden]);
    return [...this.#slots, ...hidden].flatMap(([name, slot]) =>
      slot?.value === undefined || slot.isBlank ? [] : name,
    );
  }

  /** Replaces the value, and keeps the attributes. */
  set(name: string, value: Value | undefined): void {
    this.#memory.charge(sizeOfValue(value));
    const slot = this.#slot(name);
    slot.value = value;
    slot.isBlank = false;
  }

  /** Makes a variable an array or map; one without a value still has none. */
  declareList(name: string, kind: "array" | "map"): void {
    const before = this.get(name);
    const isBlank = before?.value === undefined || before.isBlank === true;
    if (kind === "map") this.map(name);
    else this.array(name);
    this.#slot(name).isBlank = isBlank;
  }

  setAttribute(name: string, attribute: Attribute, isOn: boolean): void {
    const slot = this.#slot(name);
    if (slot.attributes.has(attribute) === isOn) return;
    const attributes = new Set(slot.attributes);
    if (isOn) attributes.add(attribute);
    else attributes.delete(attribute);
    slot.attributes = attributes;
  }

  /** The array or map of a variable, to change it. A text becomes the first element. */
  array(name: string): IndexedArray {
    const slot = this.#slot(name);
    slot.isBlank = false;
    if (slot.value instanceof IndexedArray) return slot.value;
    const array = new IndexedArray(typeof slot.value === "string" ? [slot.value] : []);
    slot.value = array;
    return array;
  }

  map(name: string): Map<string, string> {
    const slot = this.#slot(name);
    slot.isBlank = false;
    if (slot.value instanceof Map) return slot.value;
    const map = new Map(typeof slot.value === "string" ? [["0", slot.value]] : []);
    slot.value = map;
    return map;
  }

  /**
   * Removes a variable. A local one stays local, without a value; one of a function that called this one, or of a
   * command around this one, gives way to what it hid.
   */
  delete(name: string): void {
    this.#own();
    const scope = this.#scopes.findLast(({ hidden }) => hidden.has(name));
    const known = this.#slots.get(name);
    if (!scope) this.#slots.delete(name);
    else if (scope !== this.#scopes[this.#functionAt()]) this.#restore(scope, name);
    else if (known) this.#slots.set(name, this.#blank(known.attributes.has("exported")));
    else this.#slots.delete(name);
  }

  /** Begins a scope. */
  push(kind: ScopeKind): void {
    this.#scopes.push({ kind, hidden: new Map() });
  }

  /** Ends it: what it hid is back. */
  pop(): void {
    const scope = this.#scopes.pop();
    if (!scope || scope.hidden.size === 0) return;
    this.#own();
    for (const name of scope.hidden.keys()) this.#restore(scope, name);
  }

  get isInFunction(): boolean {
    return this.#scopes.some(({ kind }) => kind === "function");
  }

  /** Reports whether a name is local to the innermost function, or to a command within it. */
  isLocal(name: string): boolean {
    const at = this.#functionAt();
    return at >= 0 && this.#scopes.slice(at).some(({ hidden }) => hidden.has(name));
  }

  /** Reports whether a name is that of a variable outside of all functions. */
  isGlobal(name: string): boolean {
    return !this.#scopes.some(({ kind, hidden }) => kind === "function" && hidden.has(name));
  }

  /**
   * Makes a name local to the innermost function: it is unset, but for the value that an assignment before a command has
   * given it, and hides what it stood for. @returns what it hides; `undefined` where it was local already
   */
  makeLocal(name: string): Variable | undefined {
    const at = this.#functionAt();
    const scope = this.#scopes[at];
    if (!scope || this.isLocal(name)) return undefined;
    this.#own();
    const call = this.#scopes[at - 1];
    if (call?.kind === "call" && call.hidden.has(name)) {
      scope.hidden.set(name, call.hidden.get(name));
      call.hidden.delete(name);
      return undefined;
    }
    const visible = this.#slots.get(name);
    const giver = this.#scopes.findLast(({ hidden }) => hidden.has(name));
    scope.hidden.set(name, visible);
    this.#slots.delete(name);
    if (visible && giver && giver.kind !== "function")
      this.#slots.set(name, { ...visible, value: copyOf(visible.value), owner: this.#owner });
    return visible;
  }

  /** Sets an exported variable until the innermost scope ends. */
  assignTemporary(name: string, value: string): void {
    const hidden = this.#scopes.at(-1)?.hidden;
    if (hidden && !hidden.has(name)) {
      this.#own();
      hidden.set(name, this.#slots.get(name));
      this.#slots.delete(name);
    }
    this.set(name, value);
    this.setAttribute(name, "exported", true);
  }

  /** The exported variables with a value. */
  exported(): Record<string, string> {
    const environment: [string, string][] = [];
    for (const [name, { value, attributes }] of this.#slots)
      if (typeof value === "string" && attributes.has("exported")) environment.push([name, value]);
    // Unlike an assignment, it takes any name, `__proto__` included.
    return Object.fromEntries(environment);
  }

  /** The place of the innermost function among the scopes; -1 outside of functions. */
  #functionAt(): number {
    return this.#scopes.findLastIndex(({ kind }) => kind === "function");
  }

  /** Brings back what a scope hides, which hides it no longer. */
  #restore({ hidden }: Scope, name: string): void {
    const slot = hidden.get(name);
    hidden.delete(name);
    if (slot) this.#slots.set(name, slot);
    else this.#slots.delete(name);
  }

  #blank(isExported: boolean): Slot {
    const attributes: ReadonlySet<Attribute> = isExported ? new Set(["exported"]) : NONE;
    return { value: undefined, attributes, isBlank: false, owner: this.#owner };
  }

  #own(): void {
    if (!this.#isShared) return;
    this.#slots = new Map(this.#slots);
    this.#isShared = false;
  }

  #globalSlot(name: string): Slot | undefined {
    return this.#globalTable(plainName(name)).get(plainName(name));
  }

  /** The table that holds a variable outside of all functions: what the outermost scope hides, if any does. */
  #globalTable(name: string): Map<string, Slot | undefined> {
    return this.#scopes.find(({ hidden }) => hidden.has(name))?.hidden ?? this.#slots;
  }

  #slot(given: string): Slot {
    this.#own();
    const name = plainName(given);
    const table = name === given ? this.#slots : this.#globalTable(name);
    const known = table.get(name);
    if (known?.owner === this.#owner) return known;
    const slot: Slot = {
      value: known ? copyOf(known.value) : undefined,
      attributes: known?.attributes ?? NONE,
      isBlank: known?.isBlank ?? false,
      owner: this.#owner,
    };
    table.set(name, slot);
    return slot;
  }
}

function sizeOfValue(value: Value | undefined): number {
  if (value === undefined || typeof value === "string") return value?.length ?? 0;
  return sizeOf(value instanceof Map ? [...value.keys(), ...value.values()] : value.values());
}

function copyOf(value: Value | undefined): Value | undefined {
  if (value instanceof IndexedArray) return new IndexedArray(value);
  return value instanceof Map ? new Map(value) : value;
}
