import type { FileSystem } from "../ports/file-system.ts";
import { type ContractCase, contractCases } from "./contract.ts";
import { concurrencyCases } from "./file-system-cases/concurrency.ts";
import { directoryCases } from "./file-system-cases/directories.ts";
import { largeCases } from "./file-system-cases/large.ts";
import { metadataCases } from "./file-system-cases/metadata.ts";
import { nameCases } from "./file-system-cases/names.ts";
import { noFollowCases } from "./file-system-cases/no-follow.ts";
import { openingCases } from "./file-system-cases/opening.ts";
import { readingCases } from "./file-system-cases/reading.ts";
import { rebase } from "./file-system-cases/rebase.ts";
import { removeCases } from "./file-system-cases/remove.ts";
import { renameCases } from "./file-system-cases/rename.ts";
import { rootCases } from "./file-system-cases/root.ts";
import { symlinkCases } from "./file-system-cases/symlinks.ts";
import { writingCases } from "./file-system-cases/writing.ts";

export interface FileSystemContractOptions {
  /**
   * Creates an empty working directory for each case, for a file system that is not empty, such as a machine's own. The
   * cases see it as `/`, and those about the root itself are left out.
   */
  directory?: ((fs: FileSystem) => string | Promise<string>) | undefined;
  /** True when `open` is implemented and must pass its cases. */
  opensFiles?: boolean | undefined;
  /** True (default) when `noFollow` must be honoured. */
  honorsNoFollow?: boolean | undefined;
  /** Size of the large file; 50 MB by default. */
  largeFileBytes?: number | undefined;
  /** Entries of the large directory; 10,000 by default. */
  manyEntries?: number | undefined;
}

/**
 * The promises of `FileSystem`, as cases that any test runner can run. `create` returns an empty file system each time;
 * one that is `AsyncDisposable` is disposed at the end of its case.
 */
export function fileSystemContract(
  create: () => FileSystem | Promise<FileSystem>,
  options: FileSystemContractOptions = {},
): ContractCase[] {
  const { directory, opensFiles, honorsNoFollow = true } = options;
  const { largeFileBytes = 50_000_000, manyEntries = 10_000 } = options;

  const createSubject = async (): Promise<FileSystem> => {
    const fs = await create();
    return directory ? rebase(fs, await directory(fs)) : fs;
  };
  const tables = [
    readingCases,
    ...(opensFiles ? [openingCases] : []),
    writingCases,
    directoryCases,
    removeCases,
    renameCases,
    symlinkCases,
    ...(honorsNoFollow ? [noFollowCases] : []),
    metadataCases,
    nameCases,
    concurrencyCases,
    ...(directory ? [] : [rootCases]),
  ];
  return [
    ...tables.flatMap((table) => contractCases(table, createSubject)),
    ...contractCases(largeCases({ largeFileBytes, manyEntries }), createSubject, { slow: true }),
  ];
}
