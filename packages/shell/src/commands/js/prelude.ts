/**
 * The environment of a script, itself a script: it runs in the sandbox before the first file. `host` is the only way
 * out; its arguments and results are texts, numbers and bytes.
 */
export const prelude = String.raw`(function (host, argv, env, cwd) {
"use strict";
const inspect = (value, depth = 2, seen = []) => {
  if (typeof value === "string") return depth === 2 && seen.length === 0 ? value : "'" + value.replace(/\\/g, "\\\\").replace(/'/g, "\\'").replace(/\n/g, "\\n") + "'";
  if (typeof value === "bigint") return value + "n";
  if (typeof value === "symbol") return value.toString();
  if (typeof value === "function") return (/^class\b/.test(Function.prototype.toString.call(value)) ? "[class " : "[Function: ") + (value.name || "(anonymous)") + "]";
  if (Object.is(value, -0)) return "-0";
  if (value === null || typeof value !== "object") return String(value);
  if (seen.includes(value)) return "[Circular *1]";
  if (value instanceof Error) return (value.stack && value.stack.startsWith(value.name) ? value.stack : value.name + ": " + value.message + (value.stack ? "\n" + value.stack : "")).trimEnd();
  if (value instanceof Date) return isNaN(value) ? "Invalid Date" : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return "Promise { <pending> }";
  const inner = seen.concat([value]);
  const below = (one) => (typeof one === "object" && one !== null && inner.length > depth + 1 ? (Array.isArray(one) ? "[Array]" : "[Object]") : inspect(one, depth, inner));
  const wrap = (parts, open, close) => {
    if (parts.length === 0) return open + close;
    const line = open + " " + parts.join(", ") + " " + close;
    if (line.length <= 76 && !line.includes("\n")) return line;
    return open + "\n" + parts.map((part) => "  " + part.replace(/\n/g, "\n  ")).join(",\n") + "\n" + close;
  };
  if (Array.isArray(value)) return wrap(value.slice(0, 100).map(below).concat(value.length > 100 ? ["... " + (value.length - 100) + " more items"] : []), "[", "]");
  if (value instanceof Map) return "Map(" + value.size + ") " + wrap([...value].map(([key, one]) => below(key) + " => " + below(one)), "{", "}");
  if (value instanceof Set) return "Set(" + value.size + ") " + wrap([...value].map(below), "{", "}");
  if (ArrayBuffer.isView(value)) return value.constructor.name + "(" + value.length + ") " + wrap([...value].slice(0, 100).map(String), "[", "]");
  const name = value.constructor && value.constructor !== Object ? value.constructor.name + " " : Object.getPrototypeOf(value) === null ? "[Object: null prototype] " : "";
  const keys = Object.keys(value).map((key) => (/^[\w$]+$/.test(key) ? key : inspect(key, depth, inner)) + ": " + below(value[key]));
  return name + wrap(keys, "{", "}");
};
const format = (...args) => {
  if (typeof args[0] === "string" && args[0].includes("%")) {
    const rest = args.slice(1);
    const text = args[0].replace(/%([sdifjoO%])/g, (whole, kind) => {
      if (kind === "%") return "%";
      if (rest.length === 0) return whole;
      const value = rest.shift();
      if (kind === "s") return typeof value === "object" ? inspect(value) : String(value);
      if (kind === "d" || kind === "f") return String(Number(value));
      if (kind === "i") return String(Math.trunc(Number(value)));
      return kind === "j" ? JSON.stringify(value) : inspect(value);
    });
    return [text, ...rest.map((one) => inspect(one))].join(" ");
  }
  return args.map((one) => inspect(one)).join(" ");
};
let group = "";
const print = (stream) => (...args) => host("print", stream, group + format(...args).replace(/\n/g, "\n" + group) + "\n");
const [out, err] = [print("stdout"), print("stderr")];
const counts = {}, clocks = {};
globalThis.console = { log: out, info: out, debug: out, error: err, warn: err, trace: err, dir: (value) => out(value),
  assert: (ok, ...args) => { if (!ok) err("Assertion failed" + (args.length ? ":" : ""), ...args); },
  group: (...args) => { if (args.length) out(...args); group += "  "; }, groupEnd: () => { group = group.slice(2); },
  count: (label = "default") => out(label + ": " + (counts[label] = (counts[label] || 0) + 1)),
  time: (label = "default") => { clocks[label] = Date.now(); }, timeEnd: (label = "default") => out(label + ": " + (Date.now() - clocks[label]) + "ms"),
  table: (value) => out(value) };

const timers = new Map();
let lastTimer = 0;
const start = (repeats) => (callback, ms = 0, ...args) => {
  const id = ++lastTimer;
  timers.set(id, { callback, args, ms: Math.max(1, Number(ms) || 0), repeats });
  host("timer", id, Math.max(1, Number(ms) || 0));
  return { id, ref() { return this; }, unref() { host("clear", id); timers.delete(id); return this; }, hasRef: () => true, [Symbol.toPrimitive]: () => id };
};
const stop = (timer) => { if (timer == null) return; const id = Number(timer); timers.delete(id); host("clear", id); };
globalThis.setTimeout = start(false);
globalThis.setInterval = start(true);
globalThis.setImmediate = (callback, ...args) => setTimeout(callback, 0, ...args);
globalThis.clearTimeout = globalThis.clearInterval = globalThis.clearImmediate = stop;
globalThis.queueMicrotask = (callback) => void Promise.resolve().then(callback).catch(fail);
globalThis.structuredClone = globalThis.structuredClone || ((value) => { const seen = new Map(); const copy = (one) => {
  if (typeof one === "function" || typeof one === "symbol") throw new TypeError("could not be cloned");
  if (typeof one !== "object" || one === null) return one;
  if (seen.has(one)) return seen.get(one);
  if (one instanceof Date) return new Date(one.getTime());
  if (one instanceof RegExp) return new RegExp(one);
  if (one instanceof Map) { const made = new Map(); seen.set(one, made); for (const [k, v] of one) made.set(copy(k), copy(v)); return made; }
  if (one instanceof Set) { const made = new Set(); seen.set(one, made); for (const v of one) made.add(copy(v)); return made; }
  if (ArrayBuffer.isView(one)) return one.slice();
  const made = Array.isArray(one) ? [] : {}; seen.set(one, made);
  for (const key of Object.keys(one)) made[key] = copy(one[key]);
  return made; }; return copy(value); });
globalThis.TextEncoder = class TextEncoder { get encoding() { return "utf-8"; } encode(text = "") { return new Uint8Array(host("encode", String(text))); } };
globalThis.TextDecoder = class TextDecoder { get encoding() { return "utf-8"; } decode(bytes) { return bytes === undefined ? "" : host("decode", toBuffer(bytes)); } };
globalThis.performance = { now: () => host("now"), timeOrigin: 0 };
const toBuffer = (data) => data instanceof ArrayBuffer ? data : data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);

const process = { argv, env: { ...env }, platform: "linux", arch: "wasm", pid: 1, title: "js", version: "v24.0.0", versions: { node: "24.0.0", quickjs: "2025" }, execArgv: [], exitCode: undefined,
  cwd: () => cwd, exit: (code = process.exitCode) => { host("exit", Number(code) || 0); for (;;); }, uptime: () => host("now") / 1000,
  nextTick: (callback, ...args) => queueMicrotask(() => callback(...args)), hrtime: Object.assign(() => { const now = host("now"); return [Math.floor(now / 1000), (now % 1000) * 1e6]; }, { bigint: () => BigInt(Math.floor(host("now") * 1e6)) }),
  memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0 }), stdout: { isTTY: false, columns: 80, write: (text) => { host("print", "stdout", String(text)); return true; } }, stderr: { isTTY: false, write: (text) => { host("print", "stderr", String(text)); return true; } },
  stdin: { isTTY: false, fd: 0 }, on: () => process, once: () => process, off: () => process, emit: () => false, emitWarning: (text) => err("Warning: " + text) };
globalThis.process = process;
globalThis.global = globalThis;

const path = (() => {
  const normalize = (given) => { const isAbsolute = given.startsWith("/"), tail = given.endsWith("/") && given.length > 1, parts = []; for (const part of given.split("/")) { if (part === "" || part === ".") continue; if (part === ".." && parts.length && parts.at(-1) !== "..") parts.pop(); else if (part !== ".." || !isAbsolute) parts.push(part); } return ((isAbsolute ? "/" : "") + parts.join("/") + (tail && parts.length ? "/" : "")) || "."; };
  const resolve = (...all) => { let found = ""; for (const one of all.reverse()) { if (!one) continue; found = one + (found ? "/" + found : ""); if (one.startsWith("/")) break; } if (!found.startsWith("/")) found = cwd + "/" + found; const done = normalize(found); return done.length > 1 ? done.replace(/\/$/, "") : done; };
  const basename = (given, ext = "") => { const name = given.replace(/\/+$/, "").split("/").at(-1); return ext && name !== ext && name.endsWith(ext) ? name.slice(0, -ext.length) : name; };
  const dirname = (given) => { const at = given.replace(/\/+$/, "").lastIndexOf("/"); return at < 0 ? "." : at === 0 ? "/" : given.slice(0, at); };
  const extname = (given) => { const name = basename(given), at = name.lastIndexOf("."); return at > 0 ? name.slice(at) : ""; };
  const made = { sep: "/", delimiter: ":", normalize, resolve, basename, dirname, extname, join: (...all) => normalize(all.filter(Boolean).join("/") || "."), isAbsolute: (given) => given.startsWith("/"),
    relative: (from, to) => { const [a, b] = [resolve(from).split("/").filter(Boolean), resolve(to).split("/").filter(Boolean)]; let same = 0; while (same < a.length && a[same] === b[same]) same += 1; return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/"); },
    parse: (given) => ({ root: given.startsWith("/") ? "/" : "", dir: given.includes("/") ? dirname(given) : "", base: basename(given), ext: extname(given), name: basename(given, extname(given)) }), format: ({ dir, root, base, name, ext }) => (dir ? dir + "/" : root || "") + (base || name + (ext || "")) };
  made.posix = made; return made; })();

const nameOf = (given) => { const text = given && given.href ? given.href : String(given); return path.resolve(text.startsWith("file://") ? decodeURIComponent(text.slice(7)) : text); };
const file = (call, given, ...args) => { const answer = host(call, given === 0 ? "/dev/stdin" : nameOf(given), ...args); if (typeof answer === "string" && answer.startsWith("!")) { const [code, text] = answer.slice(1).split("|"); throw Object.assign(new Error(code + ": " + text + ", " + call + " '" + given + "'"), { code, syscall: call, path: String(given) }); } return answer; };
class Buffer extends Uint8Array {
  static from(data, encoding) { if (typeof data === "string") { if (encoding === "hex") return new Buffer((data.match(/../g) || []).map((pair) => parseInt(pair, 16))); if (encoding === "base64" || encoding === "base64url") return new Buffer([...host("atob", data)].map((one) => one.charCodeAt(0))); if (encoding === "latin1" || encoding === "binary") return new Buffer([...data].map((one) => one.charCodeAt(0))); return new Buffer(host("encode", data)); } return new Buffer(data); }
  static isBuffer(value) { return value instanceof Buffer; } static alloc(size) { return new Buffer(size); } static byteLength(text) { return Buffer.from(text).length; }
  static concat(all) { const made = new Buffer(all.reduce((sum, one) => sum + one.length, 0)); let at = 0; for (const one of all) { made.set(one, at); at += one.length; } return made; }
  toString(encoding = "utf8", from = 0, to = this.length) { const part = this.subarray(from, to); if (encoding === "hex") return [...part].map((one) => one.toString(16).padStart(2, "0")).join(""); const latin = () => { let text = ""; for (const one of part) text += String.fromCharCode(one); return text; }; if (encoding === "base64") return host("btoa", latin()); if (encoding === "latin1" || encoding === "binary") return latin(); return host("decode", toBuffer(part)); }
  equals(other) { return this.length === other.length && this.every((one, at) => one === other[at]); } toJSON() { return { type: "Buffer", data: [...this] }; }
}
globalThis.Buffer = Buffer;
const encodingOf = (options) => (typeof options === "string" ? options : options && options.encoding);
const asBytes = (data) => (typeof data === "string" ? host("encode", data) : toBuffer(data));
const statOf = (facts) => { const [type, size, mtimeMs, mode] = facts.split(" "); return { size: +size, mtimeMs: +mtimeMs, mtime: new Date(+mtimeMs), mode: +mode, isFile: () => type === "file", isDirectory: () => type === "directory", isSymbolicLink: () => false }; };
const sync = {
  readFileSync: (name, options) => { const bytes = Buffer.from(file("open", name)); const encoding = encodingOf(options); return encoding ? bytes.toString(encoding) : bytes; },
  writeFileSync: (name, data, options) => void file(options && options.flag === "a" ? "append" : "write", name, asBytes(typeof data === "string" || ArrayBuffer.isView(data) ? data : String(data))),
  appendFileSync: (name, data) => void file("append", name, asBytes(data)), existsSync: (name) => host("stat", nameOf(name)).charAt(0) !== "!",
  statSync: (name, options) => { const facts = host("stat", nameOf(name)); if (facts.startsWith("!") && options && options.throwIfNoEntry === false) return undefined; return statOf(file("stat", name)); },
  readdirSync: (name, options = {}) => { const list = (one) => file("scandir", one).split("/").filter(Boolean).map((entry) => [entry.slice(1), entry[0]]); const all = []; const visit = (one, before) => { for (const [base, kind] of list(one)) { all.push([before + base, kind, one]); if (options.recursive && kind === "d") visit(path.join(nameOf(one), base), before + base + "/"); } }; visit(name, ""); return options.withFileTypes ? all.map(([base, kind, parent]) => ({ name: path.basename(base), parentPath: String(parent), isFile: () => kind === "f", isDirectory: () => kind === "d", isSymbolicLink: () => false })) : all.map(([base]) => base); },
  mkdirSync: (name, options) => void file("mkdir", name, options && options.recursive ? 1 : 0), rmSync: (name, options = {}) => void file("rm", name, options.recursive ? 1 : 0, options.force ? 1 : 0), unlinkSync: (name) => void file("rm", name, 0, 0), rmdirSync: (name) => void file("rm", name, 2, 0),
  renameSync: (from, to) => void file("rename", from, nameOf(to)), copyFileSync: (from, to) => sync.writeFileSync(to, sync.readFileSync(from)), realpathSync: (name) => (sync.statSync(name), nameOf(name)), accessSync: (name) => void sync.statSync(name), chmodSync: (name, mode) => void file("chmod", name, mode),
  mkdtempSync: (before) => { const made = before + Math.random().toString(36).slice(2, 8).padEnd(6, "0"); sync.mkdirSync(made, { recursive: true }); return made; } };
sync.lstatSync = sync.statSync;
const promises = {};
for (const name of Object.keys(sync)) if (name !== "existsSync") promises[name.slice(0, -4)] = async (...args) => sync[name](...args);
const callbacks = {};
for (const name of Object.keys(promises)) callbacks[name] = (...args) => { const callback = args.pop(); promises[name](...args).then((value) => callback(null, value), (error) => callback(error)); };
const fs = { ...callbacks, ...sync, promises, constants: { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 } };

class EventEmitter { constructor() { this.events = new Map(); } on(name, listener) { this.events.set(name, [...(this.events.get(name) || []), listener]); return this; } once(name, listener) { const run = (...args) => { this.off(name, run); listener.apply(this, args); }; run.listener = listener; return this.on(name, run); } off(name, listener) { this.events.set(name, (this.events.get(name) || []).filter((one) => one !== listener && one.listener !== listener)); return this; } emit(name, ...args) { const all = this.events.get(name) || []; if (name === "error" && all.length === 0) throw args[0]; for (const one of all) one.apply(this, args); return all.length > 0; } listenerCount(name) { return (this.events.get(name) || []).length; } removeAllListeners(name) { if (name === undefined) this.events.clear(); else this.events.delete(name); return this; } }
EventEmitter.prototype.addListener = EventEmitter.prototype.on; EventEmitter.prototype.removeListener = EventEmitter.prototype.off; EventEmitter.EventEmitter = EventEmitter;

const same = (a, b, strict, seen = []) => {
  if (strict ? Object.is(a, b) : a == b || (a !== a && b !== b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (seen.some(([x, y]) => x === a && y === b)) return true;
  const inner = seen.concat([[a, b]]), eq = (x, y) => same(x, y, strict, inner);
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  if (a instanceof RegExp && b instanceof RegExp) return String(a) === String(b);
  if (a instanceof Error && b instanceof Error && (a.message !== b.message || a.name !== b.name)) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (a instanceof Map) return b instanceof Map && a.size === b.size && [...a].every(([key, one]) => b.has(key) ? eq(one, b.get(key)) : [...b].some(([other, two]) => eq(key, other) && eq(one, two)));
  if (a instanceof Set) return b instanceof Set && a.size === b.size && [...a].every((one) => b.has(one) || [...b].some((other) => eq(one, other)));
  const [left, right] = [Object.keys(a), Object.keys(b)];
  return left.length === right.length && left.every((key) => Object.hasOwn(b, key) && eq(a[key], b[key]));
};
class AssertionError extends Error { constructor({ message, actual, expected, operator }) { super(message); this.name = "AssertionError"; this.code = "ERR_ASSERTION"; this.generatedMessage = false; Object.assign(this, { actual, expected, operator }); } }
const assertTrue = (ok, message, facts) => { if (ok) return; if (message instanceof Error) throw message; throw new AssertionError({ ...facts, message: message ?? facts.message }); };
const shown = (value) => inspect(value, 4, [0]);
const assert = (value, message) => assertTrue(value, message, { message: "The expression evaluated to a falsy value: " + shown(value), actual: value, expected: true, operator: "==" });
const compare = (operator, test, words) => (actual, expected, message) => assertTrue(test(actual, expected), message, { actual, expected, operator, message: words + "\n+ actual - expected\n\n+ " + shown(actual).replace(/\n/g, "\n+ ") + "\n- " + shown(expected).replace(/\n/g, "\n- ") + "\n" });
const matches = (error, expected) => { if (expected === undefined) return true; if (expected instanceof RegExp) return expected.test(String(error)); if (typeof expected === "function") { if (expected.prototype !== undefined && error instanceof expected) return true; if (Error.isPrototypeOf(expected) || expected === Error) return false; return expected(error) === true; } return Object.keys(expected).every((key) => expected[key] instanceof RegExp && typeof error[key] === "string" ? expected[key].test(error[key]) : same(error[key], expected[key], true)); };
Object.assign(assert, { AssertionError, ok: assert, equal: compare("==", (a, b) => a == b || (a !== a && b !== b), "Expected values to be loosely equal:"), notEqual: compare("!=", (a, b) => a != b, "Expected values not to be loosely equal:"), strictEqual: compare("strictEqual", Object.is, "Expected values to be strictly equal:"), notStrictEqual: compare("notStrictEqual", (a, b) => !Object.is(a, b), "Expected values not to be strictly equal:"),
  deepEqual: compare("deepEqual", (a, b) => same(a, b, false), "Expected values to be loosely deep-equal:"), notDeepEqual: compare("notDeepEqual", (a, b) => !same(a, b, false), "Expected values not to be loosely deep-equal:"), deepStrictEqual: compare("deepStrictEqual", (a, b) => same(a, b, true), "Expected values to be strictly deep-equal:"), notDeepStrictEqual: compare("notDeepStrictEqual", (a, b) => !same(a, b, true), "Expected values not to be strictly deep-equal:"),
  match: (text, pattern, message) => assertTrue(pattern.test(text), message, { message: "The input did not match the regular expression " + pattern + ". Input:\n\n" + shown(text) + "\n", actual: text, expected: pattern, operator: "match" }), doesNotMatch: (text, pattern, message) => assertTrue(!pattern.test(text), message, { message: "The input was expected to not match " + pattern, actual: text, expected: pattern, operator: "doesNotMatch" }),
  fail: (message = "Failed") => assertTrue(false, message, {}), ifError: (value) => { if (value != null) throw value; },
  throws: (run, expected, message) => { let thrown; try { run(); } catch (error) { thrown = { error }; } if (!thrown) assertTrue(false, typeof expected === "string" ? expected : message, { message: "Missing expected exception.", operator: "throws" }); if (typeof expected !== "string" && !matches(thrown.error, expected)) { if (typeof expected === "function") throw thrown.error; assertTrue(false, message, { message: "The error does not match: " + shown(thrown.error), actual: thrown.error, expected, operator: "throws" }); } },
  doesNotThrow: (run) => void run(), rejects: async (given, expected, message) => { let thrown; try { await (typeof given === "function" ? given() : given); } catch (error) { thrown = { error }; } if (!thrown) assertTrue(false, message, { message: "Missing expected rejection.", operator: "rejects" }); if (!matches(thrown.error, expected)) throw thrown.error; }, doesNotReject: async (given) => void (await (typeof given === "function" ? given() : given)) });
assert.strict = assert;
const strictAssert = Object.assign((...args) => assert(...args), assert, { equal: assert.strictEqual, notEqual: assert.notStrictEqual, deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual });
assert.strict = strictAssert; strictAssert.strict = strictAssert;

const totals = { tests: 0, pass: 0, fail: 0, skipped: 0 };
const newSuite = (parent) => ({ parent, items: [], before: [], after: [], beforeEach: [], afterEach: [] });
const root = newSuite();
let suite = root, begun = false;
const add = (kind, mark) => (name, options, body) => { if (typeof name === "function") [name, options, body] = [name.name || "<anonymous>", {}, name]; if (typeof options === "function") [options, body] = [{}, options]; const all = { ...options, ...mark }; const item = { kind, name, body, options: all };
  if (kind === "suite") { item.suite = newSuite(suite); const outer = suite; suite = item.suite; try { item.loading = body && body({}); } finally { suite = outer; } }
  suite.items.push(item); if (!begun) { begun = true; queueMicrotask(() => setTimeout(() => runTests().catch(fail), 0)); } return Promise.resolve(); };
const named = (kind) => Object.assign(add(kind), { skip: add(kind, { skip: true }), todo: add(kind, { todo: true }), only: add(kind) });
const test = named("test"), describe = named("suite");
const hook = (name) => (body) => void suite[name].push(body);
Object.assign(test, { test, it: test, describe, suite: describe, before: hook("before"), after: hook("after"), beforeEach: hook("beforeEach"), afterEach: hook("afterEach"),
  mock: { fn: (original = () => undefined) => { const calls = []; const made = function (...args) { const call = { arguments: args, this: this }; calls.push(call); return (call.result = original.apply(this, args)); }; made.mock = { calls, callCount: () => calls.length, resetCalls: () => void calls.splice(0) }; return made; } } });
const chain = (one, name) => (one.parent ? [...chain(one.parent, name), ...one[name]] : one[name]);
const runSuite = async (one, indent) => {
  for (const body of one.before) await body();
  for (const item of one.items) {
    const line = (mark, note = "") => host("print", "stdout", indent + mark + " " + item.name + note + "\n");
    if (item.options.skip || item.options.todo) { totals.tests += 1; totals.skipped += 1; line("\ufe63", item.options.skip ? " # SKIP" : " # TODO"); continue; }
    if (item.kind === "suite") { await item.loading; host("print", "stdout", indent + "\u25b6 " + item.name + "\n"); await runSuite(item.suite, indent + "  "); continue; }
    totals.tests += 1;
    const inner = newSuite(one); const context = { name: item.name, diagnostic: (text) => host("print", "stdout", indent + "  " + text + "\n"), skip: () => {}, test: (...args) => { const outer = suite; suite = inner; try { add("test")(...args); } finally { suite = outer; } return Promise.resolve(); }, beforeEach: (body) => inner.beforeEach.push(body), after: (body) => inner.after.push(body), mock: test.mock };
    try { for (const body of chain(one, "beforeEach")) await body(context); try { if (item.body) await (item.body.length > 1 ? new Promise((resolve, reject) => item.body(context, (error) => (error ? reject(error) : resolve()))) : item.body(context)); await runSuite(inner, indent + "  "); } finally { for (const body of chain(one, "afterEach")) await body(context); } totals.pass += 1; line("\u2714"); }
    catch (error) { totals.fail += 1; line("\u2716"); host("print", "stdout", (indent + "  " + inspect(error)).replace(/\n/g, "\n" + indent + "  ") + "\n"); }
  }
  for (const body of one.after) await body();
};
const runTests = async () => { await runSuite(root, ""); if (totals.fail > 0) process.exitCode = process.exitCode || 1; host("tests", totals.tests, totals.pass, totals.fail, totals.skipped); };

const util = { inspect: (value, options = {}) => inspect(value, options.depth ?? 2, [0]), format, promisify: (run) => (...args) => new Promise((resolve, reject) => run(...args, (error, value) => (error ? reject(error) : resolve(value)))), isDeepStrictEqual: (a, b) => same(a, b, true), inherits: (child, parent) => Object.setPrototypeOf(child.prototype, parent.prototype), types: {}, TextEncoder, TextDecoder };
const url = { fileURLToPath: (given) => nameOf(given), pathToFileURL: (given) => ({ href: "file://" + path.resolve(given), pathname: path.resolve(given), toString: () => "file://" + path.resolve(given) }) };
const os = { EOL: "\n", tmpdir: () => "/tmp", homedir: () => env.HOME || "/", platform: () => "linux", cpus: () => [{}], hostname: () => "localhost" };
const builtins = { fs, "fs/promises": promises, path, "path/posix": path, assert, "assert/strict": strictAssert, test, events: EventEmitter, util, url, os, buffer: { Buffer }, process, timers: { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval }, "timers/promises": { setTimeout: (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value)), setImmediate: (value) => new Promise((resolve) => setImmediate(resolve, value)) }, perf_hooks: { performance }, module: { createRequire: (given) => requireFrom(path.dirname(nameOf(given))) } };

const absent = new Set(["child_process", "cluster", "crypto", "dgram", "dns", "http", "http2", "https", "inspector", "net", "readline", "stream", "tls", "v8", "vm", "worker_threads", "zlib", "async_hooks"]);
const cache = Object.create(null);
const settle = (value) => { if (value instanceof Promise) value.catch(fail); return value; };
const load = (name, isMain) => {
  if (cache[name]) return cache[name];
  const module = (cache[name] = { exports: {}, id: name, filename: name, loaded: false, children: [], paths: [] });
  if (name.endsWith(".json")) { module.exports = JSON.parse(sync.readFileSync(name, "utf8")); return module; }
  const require = requireFrom(path.dirname(name));
  if (isMain) require.main = module;
  const text = file("script", name);
  let run;
  try { run = host.compile(text, name, 0, Number(isMain)); } catch (error) { if (!isMain || !/\bawait\b/.test(text)) { delete cache[name]; throw error; } run = host.compile(text, name, 1, 1); }
  try { module.done = run.call(module.exports, module.exports, require, module, name, path.dirname(name), { url: "file://" + name, filename: name, dirname: path.dirname(name), main: Boolean(isMain), resolve: (given) => "file://" + require.resolve(given) }, settle); } catch (error) { delete cache[name]; throw error; }
  module.loaded = true;
  return module;
};
function requireFrom(directory) {
  const resolve = (given) => file("resolve", directory, given.startsWith("file://") ? nameOf(given) : given);
  const require = (given) => { const bare = given.replace(/^node:/, ""); if (Object.hasOwn(builtins, bare) && (given.startsWith("node:") || bare !== "test")) return builtins[bare]; if (given.startsWith("node:") || absent.has(bare.split("/")[0])) throw Object.assign(new Error("Node's module '" + bare + "' is not available in this shell's js: there is no network, no process and no native code"), { code: "ERR_UNKNOWN_BUILTIN_MODULE" }); return load(resolve(given), false).exports; };
  require.resolve = resolve; require.cache = cache; return require;
}
const fail = (error) => { host("print", "stderr", "Uncaught " + inspect(error) + "\n"); host("exit", 1); };
return {
  main: (name) => { try { const { done } = load(name, true); if (done) Promise.resolve(done).catch(fail); } catch (error) { fail(error); } },
  fire: (id) => { const timer = timers.get(id); if (!timer) return; if (timer.repeats) host("timer", id, timer.ms); else timers.delete(id); try { timer.callback(...timer.args); } catch (error) { fail(error); } },
  end: () => host("exit", Number(process.exitCode) || 0),
  print: (value) => out(value),
};
})`;
