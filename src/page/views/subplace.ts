/** What a path names below the place of its view: `/jobs/j1` names `j1` below `/jobs`. Pure. */

/** The parts below, decoded; none at the place itself, or elsewhere. */
export function partsBelow(base: string, path: string): string[] {
  const bare = path.split(/[?#]/, 1)[0] ?? "";
  if (!bare.startsWith(`${base}/`)) return [];
  return bare
    .slice(base.length + 1)
    .split("/")
    .filter((part) => part !== "")
    .map(decoded);
}

/** The place of something below, such as a job by its id. */
export function placeBelow(base: string, part: string): string {
  return `${base}/${encodeURIComponent(part)}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
