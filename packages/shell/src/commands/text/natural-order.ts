/** Orders names as versions: runs of digits by their value, everything else by code unit. */
export function compareNatural(one: string, other: string): number {
  const [parts, otherParts] = [one, other].map((text) => text.split(/(\d+)/));
  if (!parts || !otherParts) return 0;
  const shared = Math.min(parts.length, otherParts.length);
  for (let at = 0; at < shared; at++) {
    const [part, otherPart] = [parts[at] ?? "", otherParts[at] ?? ""];
    if (at % 2 === 1) {
      const difference = Number(part) - Number(otherPart);
      if (difference !== 0) return difference;
    } else if (part !== otherPart) {
      return part < otherPart ? -1 : 1;
    }
  }
  return parts.length - otherParts.length;
}
