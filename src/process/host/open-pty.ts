/** The parts of the package's terminal that its types do not show. */
import type { IPty } from "@lydell/node-pty";

export interface OpenPty {
  readonly fd: number;
  readonly _socket: {
    /** As soon as the descriptor is closed: its number may be of another file then. */
    readonly destroyed: boolean;
    destroy(error?: Error): unknown;
  };
}

export function openPty(pty: IPty): OpenPty {
  return pty as unknown as OpenPty;
}
