/**
 * The home channels: chats that people can name by a word. Each platform has a default one, and owners name others with
 * `/sethome`. One in the configuration wins over one with the same word. It asks the store each time, because another
 * process may have changed them.
 */
import { type HomeChannel, wordOf } from "../session/context.js";
import { shorten } from "../util/text.js";
import { platformTitle } from "./describe.js";
import { foldedWord, homeRefused, newHomeWord } from "./home-word.js";
import type { Accounts } from "./store.js";

export class Homes {
  readonly #accounts: Accounts;
  readonly #configured: readonly HomeChannel[];

  constructor(accounts: Accounts, configured: readonly HomeChannel[]) {
    this.#accounts = accounts;
    this.#configured = configured.map(checked);
  }

  /** Each with a word of its own; those of the settings first. */
  async all(): Promise<readonly HomeChannel[]> {
    const said = (await this.#accounts.homes()).filter((home) => !this.isConfigured(home));
    return [...this.#configured, ...said];
  }

  isConfigured(home: HomeChannel): boolean {
    return this.#configured.some((each) => wordOf(each) === wordOf(home));
  }

  /** Makes a chat the one that the word means, and returns it as it is saved. Fails with a sentence if it can't. */
  async set(wanted: HomeChannel): Promise<HomeChannel> {
    const home = checked(wanted);
    if (this.isConfigured(home)) throw settingsWin(home);
    if (!(await this.#accounts.setHome(home))) throw await this.#taken(wordOf(home));
    return home;
  }

  /** Forgets the one that this word means, and returns it. Fails with a sentence if it can't. */
  async remove(text: string): Promise<HomeChannel> {
    const word = foldedWord(text);
    const home = (await this.all()).find((each) => wordOf(each) === word);
    if (!home)
      throw homeRefused(
        `There is no home channel ${JSON.stringify(shorten(word, 60))}. To see them all, send /sethome list.`,
      );
    if (this.isConfigured(home)) throw settingsWin(home);
    await this.#accounts.removeHome(home);
    return home;
  }

  async #taken(word: string): Promise<Error> {
    const other = (await this.all()).find((each) => wordOf(each) === word);
    const where = other ? platformTitle(other.address.platform) : "another platform";
    return homeRefused(
      `\`${word}\` is already a home channel of ${where}. Choose another name, or send \`/sethome remove ${word}\` first.`,
    );
  }
}

function checked(home: HomeChannel): HomeChannel {
  return home.word === undefined ? home : { ...home, word: newHomeWord(home.word) };
}

function settingsWin({ address: { platform }, word }: HomeChannel): Error {
  if (word !== undefined) return homeRefused(`The settings already say which chat \`${word}\` is.`);
  return homeRefused(
    `The settings already name the home channel of ${platformTitle(platform)}. To change it, edit \`platforms.${platform}.homeChannel\`. To use /sethome, remove that setting.`,
  );
}
