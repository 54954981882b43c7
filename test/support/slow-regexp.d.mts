export function slowTextFor(pattern: string, flags: string, timeoutMs: number): Promise<string | null>;
