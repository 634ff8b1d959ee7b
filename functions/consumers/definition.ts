// What consumer.ts says of a consumer: plain data, from which the stack gives the handler beside it all it needs.
import type { DetailType, NoticeType } from '../events/index.ts';
import type { JsonObject } from '../shared/json.ts';

/** Which events, by `detailTypes`, `actionKeys` (with both, an event must match both) or a `pattern`. */
export type ConsumerDefinition = {
  /** What it does, in a few words: the description of its function and its rule. */
  description: string;
  detailTypes?: (DetailType | NoticeType)[];
  /** Verbatim action keys, case included; `*` stands for any characters. */
  actionKeys?: string[];
  /** A whole event pattern of EventBridge. */
  pattern?: JsonObject;
  /** Of one invocation: 1 to 900; default 10. */
  timeoutSeconds?: number;
  /** 128 to 3008; default 256. */
  memoryMb?: number;
  /** Variables of the function. Null: cdk.json must set it. An empty text: not set unless cdk.json does. */
  environment?: Record<string, string | null>;
  /**
   * Each secret that the function may read, by the variable that has its name or ARN. Null as above. `holds`, such as
   * `the key of api.example.com`: the stack makes the secret, `{ "key": "…" }`, unless cdk.json names one.
   */
  secrets?: Record<string, string | null | { holds: string }>;
  /** What else the function may do: the ARNs of resources by IAM action, such as `s3:GetObject`. */
  grants?: Record<string, string[]>;
  /** False: it runs only where cdk.json switches it on; default true. */
  enabled?: boolean;
};
