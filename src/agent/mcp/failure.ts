/** What went wrong with a server, in words: for its state, and for the result of a call. One list of decisions each. */
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { BatonError } from "../../session/errors.js";
import { cleanLine, shorten } from "../../util/text.js";
import { STREAM_ENDED } from "./http-transport.js";

/** Why a server cannot be used, as the rest of a sentence about it. Nothing of what the server wrote in its own words. */
export function reasonOf(error: unknown): string {
  if (error instanceof BatonError) return error.message.replace(/\.$/, "");
  if (error instanceof SdkHttpError) return httpReason(error.status);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return "it did not answer in time";
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
    return "it closed the connection";
  if (error instanceof SdkError) return "its answer is not that of an MCP server";
  if (error instanceof ProtocolError) return `it answered with the error ${error.code}`;
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall?.startsWith("spawn")) return spawnReason(code);
  if (error instanceof TypeError) return networkReason(causeOf(error));
  return shorten(cleanLine(error instanceof Error ? error.message : String(error)), 200);
}

function httpReason(status: number): string {
  if (status === 401 || status === 403) {
    return `it does not let us in (HTTP ${status}): check the \`headers\` that are configured`;
  }
  if (status === 404) return "there is no MCP server at its URL (HTTP 404)";
  if (status >= 300 && status < 400) return `it is at another URL by now (HTTP ${status})`;
  return `it answered HTTP ${status}`;
}

function spawnReason(code: string | undefined): string {
  if (code === "ENOENT") return "its command or its folder was not found";
  if (code === "EACCES") return "its command may not be run";
  return `its command could not be started (${code ?? "for no known reason"})`;
}

function networkReason(code: string | undefined): string {
  if (code === "ECONNREFUSED") return "nothing answers at its URL";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "the host of its URL is not known";
  if (code === "UND_ERR_SOCKET" || code === "ECONNRESET") return "the connection to it broke off";
  return `it could not be reached (${code ?? "the connection failed"})`;
}

const PERHAPS = "it may or may not have taken effect";

/** What the model is told of a call that came to no result. */
export function failedCall(error: unknown, server: string, timeoutMs: number, stopped: boolean): string {
  if (stopped) return `Error: stopped before it ended; ${PERHAPS}.`;
  if (error instanceof ProtocolError && error.data === STREAM_ENDED) return lost(server);
  if (error instanceof ProtocolError) {
    return `Error: ${shorten(cleanLine(error.message), 2_000) || `the server answered with the error ${error.code}`}`;
  }
  if (error instanceof SdkHttpError && error.status < 500) {
    return `Error: the MCP server ${server} did not take the call (HTTP ${error.status}); it was not run.`;
  }
  if (error instanceof SdkHttpError)
    return `Error: the MCP server answered HTTP ${error.status}; ${PERHAPS}.`;
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return `Error: no answer and no sign of progress for ${timeoutMs / 1_000} s; ${PERHAPS}.`;
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
    return `Error: the answer of the MCP server ${server} is not one of a tool; ${PERHAPS}.`;
  }
  if (causeOf(error) === "ECONNREFUSED") {
    return `Error: the MCP server ${server} is not there any more; the tool was not run.`;
  }
  return lost(server);
}

/** The code of what is behind a failed request. */
function causeOf(error: unknown): string | undefined {
  return error instanceof TypeError ? (error.cause as NodeJS.ErrnoException | undefined)?.code : undefined;
}

function lost(server: string): string {
  return `Error: the MCP server ${server} was lost during the call; ${PERHAPS}.`;
}
