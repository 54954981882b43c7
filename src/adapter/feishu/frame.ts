/**
 * The frames of the long connection: one message of Protocol Buffers each. Only what Feishu's own clients use of it is
 * read; fields that nobody here knows are skipped. Total: bytes that are no frame give null.
 *
 *     message Header { required string key = 1; required string value = 2; }
 *     message Frame {
 *       required uint64 SeqID = 1; required uint64 LogID = 2; required int32 service = 3; required int32 method = 4;
 *       repeated Header headers = 5; optional string payload_encoding = 6; optional string payload_type = 7;
 *       optional bytes payload = 8; optional string LogIDNew = 9;
 *     }
 */

export interface FeishuFrame {
  readonly seqId: bigint;
  readonly logId: bigint;
  readonly service: number;
  /** 0 for pings and pongs, 1 for events. */
  readonly method: number;
  readonly headers: readonly (readonly [key: string, value: string])[];
  readonly payload: Uint8Array;
}

const [VARINT, FIXED_64, BYTES, FIXED_32] = [0, 1, 2, 5];
/** More are no frame of Feishu's. */
const MOST_FIELDS = 200;

export function headerOf({ headers }: FeishuFrame, name: string): string | undefined {
  return headers.find(([key]) => key === name)?.[1];
}

export function decodeFrame(bytes: Uint8Array): FeishuFrame | null {
  const fields = fieldsIn(bytes);
  if (!fields) return null;
  const numbers = new Map(
    fields.flatMap(({ id, value }) => (typeof value === "bigint" ? [[id, value]] : [])),
  );
  const texts = fields.flatMap(({ id, value }) => (typeof value === "bigint" ? [] : [{ id, value }]));
  const headers = texts.filter(({ id }) => id === 5).map(({ value }) => headerIn(value));
  const [seqId, logId, service, method] = [1, 2, 3, 4].map((id) => numbers.get(id));
  if (seqId === undefined || logId === undefined || service === undefined || method === undefined)
    return null;
  return {
    seqId,
    logId,
    service: Number(BigInt.asIntN(32, service)),
    method: Number(BigInt.asIntN(32, method)),
    headers: headers.filter((header) => header !== null),
    payload: texts.findLast(({ id }) => id === 8)?.value ?? new Uint8Array(),
  };
}

export function encodeFrame({ seqId, logId, service, method, headers, payload }: FeishuFrame): Uint8Array {
  const numbers = [seqId, logId, BigInt(service), BigInt(method)];
  return Buffer.concat([
    ...numbers.map((value, n) => Buffer.concat([tag(n + 1, VARINT), varint(BigInt.asUintN(64, value))])),
    ...headers.map(([key, value]) => field(5, Buffer.concat([field(1, utf8(key)), field(2, utf8(value))]))),
    field(8, payload),
  ]);
}

interface RawField {
  readonly id: number;
  readonly value: bigint | Uint8Array;
}

function headerIn(bytes: Uint8Array): readonly [string, string] | null {
  const [key, value] = [1, 2].map((id) => fieldsIn(bytes)?.find((each) => each.id === id)?.value);
  return key instanceof Uint8Array && value instanceof Uint8Array ? [textOf(key), textOf(value)] : null;
}

/** Null where they are no fields, or break off. */
function fieldsIn(bytes: Uint8Array): readonly RawField[] | null {
  const fields: RawField[] = [];
  let at = 0;
  const number = (): bigint | null => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) return null;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    return null;
  };
  const some = (length: number): Uint8Array | null => {
    at += length;
    return at <= bytes.length ? bytes.subarray(at - length, at) : null;
  };
  while (at < bytes.length) {
    const key = number();
    if (key === null || fields.length >= MOST_FIELDS) return null;
    const [id, type] = [Number(key >> 3n), Number(key & 7n)];
    const length = type === BYTES ? number() : type === FIXED_64 ? 8n : type === FIXED_32 ? 4n : 0n;
    if (length === null || length > BigInt(bytes.length)) return null;
    const isKnown = type === VARINT || type === BYTES || type === FIXED_64 || type === FIXED_32;
    const value = !isKnown ? null : type === VARINT ? number() : some(Number(length));
    if (value === null) return null;
    fields.push({ id, value });
  }
  return fields;
}

function field(id: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([tag(id, BYTES), varint(BigInt(bytes.length)), bytes]);
}

function tag(id: number, type: number | undefined): Buffer {
  return varint(BigInt(id * 8 + (type ?? 0)));
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}

function utf8(text: string): Buffer {
  return Buffer.from(text, "utf8");
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}
