/** The platform's clock and ids, free to be passed on. */
export interface Clock {
  now: () => number;
  randomUUID: () => string;
}
