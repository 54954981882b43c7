/** The page's own certificate, read each time it begins to listen: a certificate is replaced every few weeks. */
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { ConnectError } from "../adapter.js";
import { reasonOf } from "../http-call.js";

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** What is in them, once it is known that they belong together. */
export function certificateIn({ certFile, keyFile }: CertificateFiles) {
  const pem = { cert: pemIn(certFile), key: pemIn(keyFile) };
  try {
    createSecureContext(pem);
  } catch (error) {
    const message = `${certFile} and ${keyFile} are not a certificate and its key as PEM (${reasonOf(error)}). Check the files in web.tls.`;
    throw new ConnectError("retryable", message, { cause: error });
  }
  return pem;
}

function pemIn(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const message = `Baton can't read ${file} (${reasonOf(error)}). Check the files in web.tls.`;
    throw new ConnectError("retryable", message, { cause: error });
  }
}
