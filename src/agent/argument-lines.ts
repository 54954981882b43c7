/** A tool's arguments as they are shown to be approved: one line each, and no two different calls have the same lines. */

export function argumentLines(args: unknown): string[] {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return [JSON.stringify(args)];
  return Object.entries(args).map(([name, value]) => `${nameOf(name)}: ${JSON.stringify(value)}`);
}

function nameOf(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : JSON.stringify(name);
}
