import { FileSystemError, ValidationError } from "../../errors.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { relativePath } from "../../ports/path.ts";
import { createPacer } from "../../tools/files/pacer.ts";
import { decodeText } from "../../tools/files/text-file.ts";
import { walkFiles } from "../../tools/files/walk.ts";
import { cutEnd } from "../../tools/text-cut.ts";
import type { Module } from "./module-registry.ts";
import { termsOf } from "./retrieval-terms.ts";

const DEFAULT_LIMIT = 5;
const MAX_PASSAGES = 20;
const MAX_FILES = 5000;
const MAX_FILE_BYTES = 1024 * 1024;
const PASSAGE_LINES = 30;
/** A heading begins a passage, unless the one before it would be shorter than this. */
const SHORTEST_PASSAGE = 5;
const PASSAGE_LENGTH = 4000;
/** The usual weights of BM25: how soon a repeated word counts no more, and how much length counts. */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

export interface RetrievalModuleOptions {
  fs: FileSystem;
  /** Absolute directory. Files ignored by git are left out. */
  directory: string;
  /** `retrieve` when omitted. */
  name?: string | undefined;
  /** Files whose path, from the directory, it accepts; all of them when omitted. */
  accepts?(path: string): boolean;
}

export interface RetrievalInput {
  /** Words, in any order. */
  query: string;
  /** Maximum number of passages, up to 20; default 5. */
  limit?: number;
}

/** A piece of a file that has to do with a query. */
export interface RetrievedPassage {
  /** Absolute. */
  path: string;
  /** Line number from 1. */
  startLine: number;
  endLine: number;
  /** Higher is nearer; comparable within one answer only. */
  score: number;
  text: string;
}

interface Passage extends Omit<RetrievedPassage, "score"> {
  terms: ReadonlyMap<string, number>;
  length: number;
}

interface IndexedFile {
  mtimeMs: number;
  size: number;
  passages: Passage[];
}

/**
 * Finds the passages of text files most relevant to a question, by BM25: rare words count more than common ones, in any
 * order and any form that `termsOf` normalises. Grep needs the exact words; this needs some of them. Reads files that
 * changed since the last call, and caches the rest in memory.
 */
export function createRetrievalModule(
  options: RetrievalModuleOptions,
): Module<RetrievalInput, RetrievedPassage[]> {
  const { fs, directory, name = "retrieve" } = options;
  let files = new Map<string, IndexedFile>();

  const refresh = async (signal: AbortSignal): Promise<void> => {
    const pace = createPacer(signal);
    const next = new Map<string, IndexedFile>();
    for await (const { path, isSymlink } of walkFiles(fs, directory, { cwd: directory, pace })) {
      if (next.size >= MAX_FILES) break;
      if (isSymlink || options.accepts?.(relativePath(directory, path)) === false) continue;
      const file = await indexed(fs, path, files.get(path));
      if (!file) continue;
      next.set(path, file);
      const turn = pace(file.size);
      if (turn) await turn;
    }
    files = next;
  };

  return {
    name,
    description: `Finds the passages of the files in ${directory} that have most to do with some words.`,
    async execute({ query, limit = DEFAULT_LIMIT }, { signal }) {
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PASSAGES) {
        throw new ValidationError(`${limit} is not a number of passages`, {
          hint: `Ask for 1 to ${MAX_PASSAGES}.`,
        });
      }
      const terms = [...new Set(termsOf(query))];
      if (terms.length === 0) {
        throw new ValidationError("The query has no words", {
          hint: "Give some words to search for.",
        });
      }
      await refresh(signal);
      const passages = [...files.values()].flatMap((file) => file.passages);
      return ranked(passages, terms).slice(0, limit);
    },
    dispose: () => files.clear(),
  };
}

/** A file cut into passages; the cached index when unchanged, `undefined` for binary or unreadable files. */
async function indexed(
  fs: FileSystem,
  path: string,
  known: IndexedFile | undefined,
): Promise<IndexedFile | undefined> {
  try {
    const { mtimeMs, size } = await fs.stat(path);
    if (known && known.mtimeMs === mtimeMs && known.size === size) return known;
    if (size > MAX_FILE_BYTES) return undefined;
    const file = decodeText(await fs.readFile(path));
    return file && { mtimeMs, size, passages: passagesOf(path, file.text) };
  } catch (error) {
    // Removed since it was listed, or not for us: it holds nothing to find.
    if (error instanceof FileSystemError) return undefined;
    throw error;
  }
}

function passagesOf(path: string, text: string): Passage[] {
  const lines = text.split("\n");
  const passages: Passage[] = [];
  let start = 0;
  for (let end = 1; end <= lines.length; end++) {
    const length = end - start;
    const isHeading = /^#{1,6} /.test(lines[end] ?? "");
    const isFull = length >= PASSAGE_LINES || (isHeading && length >= SHORTEST_PASSAGE);
    if (end < lines.length && !isFull) continue;
    const passage = passageOf(path, lines.slice(start, end).join("\n"), start + 1, end);
    if (passage.length > 0) passages.push(passage);
    start = end;
  }
  return passages;
}

function passageOf(path: string, text: string, startLine: number, endLine: number): Passage {
  const terms = new Map<string, number>();
  // The file's name is part of its content.
  const all = [...termsOf(text), ...termsOf(path.slice(path.lastIndexOf("/") + 1))];
  for (const term of all) terms.set(term, (terms.get(term) ?? 0) + 1);
  const length = text.trim() === "" ? 0 : all.length;
  return { path, startLine, endLine, text: cutEnd(text, PASSAGE_LENGTH), terms, length };
}

function ranked(passages: readonly Passage[], terms: readonly string[]): RetrievedPassage[] {
  const total = passages.reduce((sum, { length }) => sum + length, 0);
  const average = total / Math.max(1, passages.length);
  const weights = terms.map((term) => {
    const holding = passages.filter((passage) => passage.terms.has(term)).length;
    return Math.log(1 + (passages.length - holding + 0.5) / (holding + 0.5));
  });
  const scored = passages.map((passage) => {
    const relative = 1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * passage.length) / average;
    const score = terms.reduce((sum, term, index) => {
      const count = passage.terms.get(term) ?? 0;
      const weight = weights[index] ?? 0;
      return sum + (weight * count * (SATURATION + 1)) / (count + SATURATION * relative);
    }, 0);
    return { passage, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ passage: { path, startLine, endLine, text }, score }) => ({
      path,
      startLine,
      endLine,
      score: Math.round(score * 1000) / 1000,
      text,
    }));
}
