/**
 * An adapter that says no known secret: what is sent, edited, shown, looked for or made a title of is cleaned before. Of a
 * turn that is shown live, the agent's port has cleaned all but what tools print while they run, and what Baton asks.
 */
import type { HidingStream, Redactor } from "../util/redact.js";
import type { Adapter, Letter, Speaker } from "./adapter.js";
import type { LiveReply } from "./live-reply.js";
import { speakerWith, withMembers } from "./speaker.js";

type AdapterHiding = Pick<Redactor, "hide" | "stream">;

export function hidingAdapter(adapter: Adapter, hiding: AdapterHiding): Adapter {
  const { platform, account, capabilities } = adapter;
  return {
    ...{ platform, account, capabilities },
    serve: (line) => adapter.serve({ ...line, up: (speaker) => line.up(hidingSpeaker(speaker, hiding)) }),
  };
}

function hidingSpeaker(speaker: Speaker, hiding: AdapterHiding): Speaker {
  const { hide } = hiding;
  const clean = (message: Letter): Letter => ({ ...message, text: hide(message.text) });
  const { edit, draft, status, find, live, createThread } = speaker;
  return speakerWith(speaker, {
    send: (message) => speaker.send(clean(message)),
    ...(edit ? { edit: (message, messageId) => edit.call(speaker, clean(message), messageId) } : {}),
    ...(draft ? { draft: (message) => draft.call(speaker, clean(message)) } : {}),
    ...(status ? { status: (address, words) => status.call(speaker, address, hide(words)) } : {}),
    ...(find ? { find: (message) => find.call(speaker, clean(message)) } : {}),
    ...(live
      ? { live: (address, messageId) => hidingReply(live.call(speaker, address, messageId), hiding) }
      : {}),
    ...(createThread
      ? {
          createThread: (parent, title, person, once) =>
            createThread.call(speaker, parent, hide(title), person, once),
        }
      : {}),
  });
}

function hidingReply(reply: LiveReply, { hide, stream }: AdapterHiding): LiveReply {
  const { asked } = reply;
  return withMembers(reply, {
    ...(asked ? { asked: (question) => asked.call(reply, { ...question, what: hide(question.what) }) } : {}),
    ...hidingProgress(reply, stream),
  });
}

/** A secret may come in pieces: what may be the beginning of one waits for the next piece, or for the end of the call. */
function hidingProgress(
  reply: LiveReply,
  stream: AdapterHiding["stream"],
): Partial<Pick<LiveReply, "toolProgress">> {
  const { toolProgress } = reply;
  if (!toolProgress) return {};
  const printed = new Map<string, HidingStream>();
  return {
    toolProgress: (call, progress) => {
      const tell = toolProgress.bind(reply, call);
      if (progress.kind === "output") {
        const hidden = printed.get(call.id) ?? stream();
        printed.set(call.id, hidden);
        if (progress.skipped > 0) hidden.skip();
        return tell({ ...progress, text: hidden.push(progress.text) });
      }
      const rest = printed.get(call.id)?.end() ?? "";
      printed.delete(call.id);
      if (rest !== "") tell({ kind: "output", text: rest, skipped: 0 });
      tell(progress);
    },
  };
}
