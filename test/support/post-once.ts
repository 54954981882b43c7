/** A post on a connection of its own, as platforms make them to webhooks; gives the status and the answer. */
import { request } from "node:http";

export interface Posted {
  readonly status: number;
  readonly body: string;
}

export function postOnce(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const post = request(url, { method: "POST", headers, agent: false }, (response) => {
      let said = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: said }));
      response.on("error", reject);
    });
    post.on("error", reject);
    post.end(body);
  });
}
