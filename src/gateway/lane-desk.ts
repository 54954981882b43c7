/**
 * Moves a conversation into a lane that is named by its key, with the rights of the person who runs Baton, as `/resume` does
 * from there. First it says what would happen; then it does exactly that, or nothing.
 */
import { terminalAccount } from "../adapter/terminal/terminal-source.js";
import { ConflictError, InputError } from "../session/errors.js";
import { sourceOfKey } from "../session/key-source.js";
import type { LaneStore, LaneWork, SeenMove } from "../session/lane-store.js";
import { LOCAL, platformTraits, unmatchableChat } from "../session/platform.js";
import { agentIn, fitOf, type SeenLane } from "../session/rescope.js";
import type { SessionEntry } from "../session/session.js";
import {
  asSessionKey,
  parseSessionKey,
  type SessionKey,
  type SessionScopes,
} from "../session/session-key.js";
import type { Sessions } from "../session/sessions.js";
import { parseAddress, type SessionSource } from "../session/source.js";
import type { Answerer, LanePlace } from "../session/store.js";
import type { Clock } from "../util/clock.js";
import type { People } from "./people.js";
import { AGENT } from "./shared-accounts.js";
import type { Accounts } from "./store.js";

export interface LaneDeskSetting {
  readonly sessions: Sessions;
  readonly lanes: LaneStore;
  readonly accounts: Accounts;
  readonly people: Pick<People, "isLetIn">;
  readonly scopes: SessionScopes;
  readonly clock: Clock;
}

export interface PlannedMove {
  readonly entry: SessionEntry;
  readonly to: LanePlace;
  readonly seen: SeenMove;
  /** The session that the destination has now. */
  readonly present: SeenLane | null;
  /** Messages that wait for an answer: in the old lane, which come along, and in the new one. */
  readonly waiting: { readonly here: number; readonly there: number };
  readonly answering: Answerer | null;
}

export class LaneDesk {
  readonly #setting: LaneDeskSetting;

  constructor(setting: LaneDeskSetting) {
    this.#setting = setting;
  }

  /** `where`: a key, or an address that has one lane. */
  async plan(entry: SessionEntry, where: string): Promise<PlannedMove> {
    const { sessions, lanes } = this.#setting;
    const to = await this.#placeNamed(where.trim());
    const { sessionId } = entry;
    const from = (await sessions.current(entry.key))?.sessionId === sessionId ? entry.key : null;
    if (from === to.key) throw new ConflictError("lane_changed", "The session is already there.");
    const present = await lanes.at(to.key);
    const there = await lanes.work(to.key, present?.sessionId ?? null);
    const here = await lanes.work(from ?? to.key, sessionId);
    refuseIfAtWork(here, "in this session");
    refuseIfAtWork(there, "in the chat that it should move to");
    const waiting = { here: from === null ? 0 : here.waiting, there: there.waiting };
    const seen = { sessionId, from, present: present?.sessionId ?? null };
    const answering = waiting.here === 0 ? null : await this.#answererIn(to, waiting.here);
    return { entry, to, seen, present, waiting, answering };
  }

  /** Refused if anything is not as it was when the move was planned. */
  async move({ to, seen, answering }: PlannedMove): Promise<SessionEntry> {
    const { lanes, clock } = this.#setting;
    const moved = await lanes.move(to, seen, clock(), answering ?? undefined);
    if (moved === "busy") throw atWork("in one of the two chats");
    if (moved === "changed")
      throw new ConflictError(
        "lane_changed",
        "Something changed in one of the two chats meanwhile, so nothing was moved. Run the command again.",
      );
    return moved;
  }

  async #placeNamed(where: string): Promise<LanePlace> {
    const { lanes, scopes } = this.#setting;
    const key = where.startsWith("agent:") ? asSessionKey(where) : await this.#keyAt(where);
    if (platformTraits(parseSessionKey(key).platform).isInternal)
      throw new InputError(
        "invalid_session_key",
        "Nobody writes there: it is the session of a scheduled job.",
      );
    const known = (await lanes.at(key)) ?? (await lanes.formerPlace(key));
    const place = known ?? (await this.#unknownPlace(key));
    const fit = fitOf(place, { ...scopes, agent: agentIn(key) });
    if (fit.kind === "key" && fit.key === key) return placeOnly(place);
    const instead = fit.kind === "key" ? ` Messages there have the key ${fit.key}.` : "";
    throw new InputError(
      "invalid_session_key",
      `With the scopes in your configuration no message has the key ${key}, so nobody would reach the session there.${instead} Run \`baton sessions rescope --dry-run\` if you have changed the scopes.`,
    );
  }

  /** The key of the only lane at an address. */
  async #keyAt(where: string): Promise<SessionKey> {
    const { sessions, scopes } = this.#setting;
    if (!where.includes(":")) throw notAPlace(where);
    const all = await sessions.lanesAt(parseAddress(where));
    const lanes = all.filter(({ key }) => agentIn(key) === (scopes.agent || "main"));
    const [only, ...others] = lanes;
    if (only && others.length === 0) return only.key;
    if (!only)
      throw new InputError(
        "invalid_address",
        `No conversation is at ${where} now. Send a message there first, or give the key of the chat: it looks like ${EXAMPLE}.`,
      );
    const keys = lanes.map(({ key }) => key).join(", ");
    throw new InputError(
      "invalid_address",
      `${where} has several conversations. Give one of these keys: ${keys}.`,
    );
  }

  /** Of a lane that has never had a session. */
  async #unknownPlace(key: SessionKey): Promise<LanePlace> {
    const { sessions, scopes, people } = this.#setting;
    const source = agentIn(key) === (scopes.agent || "main") ? sourceOfKey(key, scopes) : null;
    if (!source)
      throw new InputError(
        "invalid_session_key",
        `Baton does not know where ${key} is: no message has had this key. Send a message there first.`,
      );
    const unmatchable = unmatchableChat(source.platform, source.chatId);
    if (unmatchable !== null) throw new InputError("invalid_session_key", unmatchable);
    // In a DM the chat may have the id of its person; if that person has access, it is theirs.
    const theirs: SessionSource = { ...source, userId: source.chatId };
    const isPerson = source.chatType === "dm" && source.platform !== LOCAL && (await people.isLetIn(theirs));
    return sessions.laneOf(isPerson ? theirs : source);
  }

  /** Who answers the messages that come along. */
  async #answererIn({ key, origin }: LanePlace, waiting: number): Promise<Answerer> {
    const { accounts, clock } = this.#setting;
    if (origin.platform === LOCAL) return { account: terminalAccount(origin), holder: "" };
    const agent = agentIn(key);
    const served = (await accounts.all(AGENT)).filter(
      ({ platform, value }) => platform === origin.platform && value === agent,
    );
    const [only, ...others] = served;
    if (!only || others.length > 0) {
      const why = only
        ? "and several accounts could answer there"
        : "and no gateway has served that platform yet";
      throw new ConflictError(
        "turn_running",
        `${waiting === 1 ? "A message waits" : `${waiting} messages wait`} for an answer in this session, ${why}. Wait until it is answered, then try again.`,
      );
    }
    const lease = await accounts.lease(only, clock());
    return { account: only.account, holder: lease && lease.until > clock() ? lease.holder : "" };
  }
}

const EXAMPLE = "agent:main:<platform>:dm:<chat id>";

function notAPlace(where: string): InputError {
  return new InputError(
    "invalid_session_key",
    `${JSON.stringify(where)} is neither a session key nor an address. A key looks like ${EXAMPLE}, and an address like <platform>:<chat id>. Run \`baton sessions explain <session>\` to see the key of its chat.`,
  );
}

function placeOnly({ key, owner, chat, origin, displayName }: LanePlace): LanePlace {
  return { key, owner, chat, origin, displayName };
}

function refuseIfAtWork({ turn, handoff }: LaneWork, where: string): void {
  if (handoff)
    throw new ConflictError(
      "handoff_active",
      `A handoff is in progress ${where}. Run \`baton handoff list\` to see it; wait until it is done, or cancel it.`,
    );
  if (turn) throw atWork(where);
}

function atWork(where: string): ConflictError {
  return new ConflictError(
    "turn_running",
    `The agent is answering ${where}. Wait until it is done, or send /stop there, then try again.`,
  );
}
