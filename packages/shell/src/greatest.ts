/** The greatest of `numbers` and `least`. `Math.max(...numbers)` has no room on the stack for many. */
export function greatest(numbers: Iterable<number>, least = 0): number {
  let found = least;
  for (const number of numbers) if (number > found) found = number;
  return found;
}
