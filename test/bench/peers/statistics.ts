export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Each value by the one of the same round. */
export function ratios(values: readonly number[], bases: readonly number[]): number[] {
  return values.map((value, index) => value / (bases[index] ?? Number.NaN));
}

/** Median and quartiles, as `0.84 (0.80–0.91)`. */
export function spread(values: readonly number[]): string {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(values, share).toFixed(2));
  return `${middle} (${low}–${high})`;
}
