/** The settings of the Feishu adapter. */
import { withoutSlashes } from "../../util/text.js";

export interface FeishuSettings {
  readonly appId: string;
  /** Asked for whenever a token is. */
  readonly appSecret: () => string;
  /** Where the organization is: feishu.cn in China, larksuite.com elsewhere. */
  readonly domain?: "feishu" | "lark";
  /** Another server. */
  readonly baseUrl?: string;
  /** How long a call may take. */
  readonly timeoutMs?: number;
}

const DOMAINS = { feishu: "https://open.feishu.cn", lark: "https://open.larksuite.com" } as const;

export function baseUrlOf({ domain = "feishu", baseUrl }: FeishuSettings): string {
  return withoutSlashes(baseUrl ?? DOMAINS[domain]);
}
