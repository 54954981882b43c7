/** An adapter that says no known secret: what is sent, edited, shown, looked for or made a title of is cleaned before. */
import type { Hide } from "../util/redact.js";
import type { Adapter, Letter, Speaker } from "./adapter.js";
import { speakerWith } from "./speaker.js";

export function hidingAdapter(adapter: Adapter, hide: Hide): Adapter {
  const { platform, account, capabilities } = adapter;
  return {
    ...{ platform, account, capabilities },
    serve: (line) => adapter.serve({ ...line, up: (speaker) => line.up(hidingSpeaker(speaker, hide)) }),
  };
}

function hidingSpeaker(speaker: Speaker, hide: Hide): Speaker {
  const clean = (message: Letter): Letter => ({ ...message, text: hide(message.text) });
  const { edit, draft, status, find, createThread } = speaker;
  return speakerWith(speaker, {
    send: (message) => speaker.send(clean(message)),
    ...(edit ? { edit: (message, messageId) => edit.call(speaker, clean(message), messageId) } : {}),
    ...(draft ? { draft: (message) => draft.call(speaker, clean(message)) } : {}),
    ...(status ? { status: (address, words) => status.call(speaker, address, hide(words)) } : {}),
    ...(find ? { find: (message) => find.call(speaker, clean(message)) } : {}),
    ...(createThread
      ? {
          createThread: (parent, title, person, once) =>
            createThread.call(speaker, parent, hide(title), person, once),
        }
      : {}),
  });
}
