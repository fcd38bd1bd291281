// The service under judgement on a port and a data folder of its own, and a list of what failed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

const LOADED_MS = 900_000; // on a machine that others use too

export const root = new URL("../..", import.meta.url).pathname;
export const program = `${root}/.venv/bin/studiograph`;

const LISTENS = /listens on (http:\/\/[^;]+)/;

export async function serve(settings = {}, command = "serve", announced = LISTENS, file = program) {
  const data = mkdtempSync(join(tmpdir(), "studiograph-"));
  const own = { STUDIOGRAPH_PORT: "0", STUDIOGRAPH_DATA: data };
  const env = { ...process.env, ...own, ...settings };
  const options = { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] };
  const server = spawn(file, [command].flat(), options);
  const address = await new Promise((resolve) => {
    createInterface({ input: server.stdout }).on("line", (line) => {
      const found = line.match(announced);
      if (found) resolve(found[1]);
    });
  });
  const stop = async () => {
    server.kill("SIGTERM");
    await once(server, "exit");
    rmSync(data, { recursive: true });
  };
  return { address, env, stop };
}

// One of the foreign applications.
export async function serveForeign(name) {
  const command = ["tests/support/foreign_applications.py", "serve", name];
  return serve({ PYTHONPATH: root }, command, LISTENS, `${root}/.venv/bin/python`);
}

// Each request on a connection of its own: a kept one is closed while a command makes it wait.
export const get = (url, headers = {}) => fetch(url, { headers: { connection: "close", ...headers } });

// The models come after the start, and /readyz says when every question is answered.
export async function answering(address) {
  const deadline = Date.now() + LOADED_MS;
  for (;;) {
    const { answers } = await (await get(`${address}/readyz`)).json();
    if (answers === "ready") return;
    if (Date.now() > deadline) throw new Error(`not in time: answers are ${answers}`);
    await pause(500);
  }
}

export function judge(name) {
  const failures = [];
  const check = (claim, passed, detail = "") => {
    if (!passed) failures.push(claim);
    console.log(`${passed ? "ok  " : "FAIL"} ${claim}${passed ? "" : ` ${detail}`}`);
  };
  const finish = () => {
    const failed = failures.length;
    console.log(failed === 0 ? `${name}: all held` : `${name}: ${failed} failed`);
    process.exitCode = failed === 0 ? 0 : 1;
  };
  return { check, finish };
}
