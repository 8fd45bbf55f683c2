export interface BodyLimits {
  bodyBytes: number;
  jsonDepth: number;
  /** Milliseconds without a byte after which a body counts as given up; 30,000 when omitted. */
  bodyIdleMs: number;
}

export const BODY_IDLE_MS = 30_000;
