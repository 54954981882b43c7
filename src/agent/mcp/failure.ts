/** Turns a server's failure into words: for its state, and for the result of a call. One list of decisions each. */
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { BatonError } from "../../session/errors.js";
import { proxyFailureIn } from "../../util/proxy-in-use.js";
import { cleanLine, shorten } from "../../util/text.js";
import { STREAM_ENDED } from "./http-transport.js";

/** Why a server can't be used, as the second half of a sentence. It never quotes the server. */
export function reasonOf(error: unknown): string {
  if (error instanceof BatonError) return error.message.replace(/\.$/, "");
  if (error instanceof SdkHttpError) return httpReason(error.status);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return "it did not answer in time";
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
    return "it closed the connection";
  if (error instanceof SdkError) return "its answer is not valid MCP";
  if (error instanceof ProtocolError) return `it answered with the error ${error.code}`;
  const proxy = proxyFailureIn(error);
  if (proxy) return `it could not be reached: ${proxy.message}`;
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall?.startsWith("spawn")) return spawnReason(code);
  if (error instanceof TypeError) return networkReason(causeOf(error));
  return shorten(cleanLine(error instanceof Error ? error.message : String(error)), 200);
}

function httpReason(status: number): string {
  if (status === 401 || status === 403) {
    return `it refused access (HTTP ${status}): check its \`headers\` in config.yaml`;
  }
  if (status === 404) return "there is no MCP server at its URL (HTTP 404)";
  if (status >= 300 && status < 400)
    return `it redirects to another URL (HTTP ${status}): set its \`url\` to the new one`;
  return `it answered HTTP ${status}`;
}

function spawnReason(code: string | undefined): string {
  if (code === "ENOENT") return "its command or its folder was not found";
  if (code === "EACCES") return "its command is not executable";
  return `its command could not be started (${code ?? "reason unknown"})`;
}

function networkReason(code: string | undefined): string {
  if (code === "ECONNREFUSED") return "nothing answers at its URL";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "the host in its URL was not found";
  if (code === "UND_ERR_SOCKET" || code === "ECONNRESET") return "the connection was lost";
  return `it could not be reached (${code ?? "the connection failed"})`;
}

const PERHAPS = "it may or may not have taken effect";

/** What the model reads if a call has no result. */
export function failedCall(error: unknown, server: string, timeoutMs: number, stopped: boolean): string {
  if (stopped) return `Error: stopped before it finished; ${PERHAPS}.`;
  if (error instanceof ProtocolError && error.data === STREAM_ENDED) return lost(server);
  if (error instanceof ProtocolError) {
    return `Error: ${shorten(cleanLine(error.message), 2_000) || `the server answered with the error ${error.code}`}`;
  }
  if (error instanceof SdkHttpError && error.status < 500) {
    return `Error: the MCP server ${server} refused the call (HTTP ${error.status}); the tool was not run.`;
  }
  if (error instanceof SdkHttpError)
    return `Error: the MCP server answered HTTP ${error.status}; ${PERHAPS}.`;
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return `Error: the MCP server ${server} sent no answer and no progress for ${timeoutMs / 1_000} s; ${PERHAPS}.`;
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
    return `Error: the MCP server ${server} sent an answer that is not a valid tool result; ${PERHAPS}.`;
  }
  if (causeOf(error) === "ECONNREFUSED") {
    return `Error: the MCP server ${server} is no longer running; the tool was not run.`;
  }
  return lost(server);
}

/** The code of the cause of a failed request. */
function causeOf(error: unknown): string | undefined {
  return error instanceof TypeError ? (error.cause as NodeJS.ErrnoException | undefined)?.code : undefined;
}

function lost(server: string): string {
  return `Error: the connection to the MCP server ${server} was lost during the call; ${PERHAPS}.`;
}
