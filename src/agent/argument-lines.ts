/**
 * A tool's arguments as a person sees them before approving: one line each. Two different calls never have the same
 * lines.
 */

export function argumentLines(args: unknown): string[] {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return [JSON.stringify(args)];
  return Object.entries(args).map(([name, value]) => `${nameOf(name)}: ${JSON.stringify(value)}`);
}

function nameOf(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : JSON.stringify(name);
}
