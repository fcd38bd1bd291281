// The tools by the converters of OpenAI's, Anthropic's and Google's SDKs: `make conformance`.
import { spawnSync } from "node:child_process";
import { answering, judge, serve } from "./served.mjs";

const here = `${import.meta.dirname}/function_calling`;
const { check, finish } = judge("function calling");
// Each tool is called four times, and chat more often than one caller may.
const { address, stop } = await serve({ STUDIOGRAPH_CHAT_LIMIT: "0" });
try {
  await answering(address);
  const done = spawnSync(`${here}/.venv/bin/python`, [`${here}/vendor_calls.py`, address], { encoding: "utf8" });
  check("the converters run", done.status === 0, done.stderr);
  for (const line of done.stdout.split("\n").filter(Boolean)) {
    const { name, held, said } = JSON.parse(line);
    check(name, held, said);
  }
} finally {
  await stop();
}
finish();
