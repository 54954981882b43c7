/** How calls of the page are answered: JSON, also when they fail, so that nobody takes a proxy's page for our answer. */
import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import type { WireError } from "./wire.js";

/** The routes of the page, with the request as Node.js has it. */
export type WebApp = Hono<{ Bindings: HttpBindings }>;
export type WebContext = Context<{ Bindings: HttpBindings }>;

export function answered(body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(body, { headers });
}

export function refused(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ error: { code, message } } satisfies WireError, { status, headers });
}

export function signedOut(): Response {
  return refused(
    401,
    "signed_out",
    "You are not signed in on this device. Open a new link from `baton web`.",
  );
}

/** The body as JSON; undefined if it is none. The guard has seen to it that it is not long. */
export async function jsonBody(context: WebContext): Promise<unknown> {
  try {
    return JSON.parse(await context.req.text());
  } catch {
    return undefined;
  }
}
