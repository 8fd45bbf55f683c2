/** Problems of a log. */
export type ReplayLogIssueCode =
  | "damaged-line"
  | "invalid-history-mutation"
  | "invalid-history-reference"
  | "invalid-payload-reference"
  | "payload-missing"
  | "missing-native-raw-payload"
  | "missing-raw-response"
  | "missing-normalized-response"
  | "orphan-response"
  | "unmatched-tool-request"
  | "unmatched-tool-result";

/** A defect of a log, with the index of its entry. */
export interface ReplayLogIssue {
  code: ReplayLogIssueCode;
  /** An explanation for people. */
  message: string;
  /** Index of the entry, from 0; for a damaged line, of the line. */
  index: number;
  executionId?: string;
  round?: number;
  toolCallId?: string;
  sha256?: string;
}
