// The page of a preview in Debian's Chromium: `make conformance`. A first word is where a picture goes.
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { launch } from "puppeteer-core";
import { judge, serve } from "./served.mjs";

const CHROMIUM = "/usr/bin/chromium";
const ANNOUNCED = /for your browser: (http:\S+)/;
const NOTHING = ["TypeError", "error", "opaque", ""];
const QUESTION = `"><script>document.title = "run"</script><img src=x onerror="document.title = 'run'">`;

if (!existsSync(CHROMIUM)) {
  console.log(`n/a  preview page: ${CHROMIUM} is not here; apt-get install chromium`);
  process.exit();
}

// What a page of another origin does to read it, each as a text that says what it got.
async function attempts(address) {
  const tried = async (work) => work().catch((error) => error.name);
  const read = (options) => tried(async () => (await fetch(address, options)).text());
  const shown = (tag, name) =>
    tried(
      () =>
        new Promise((resolve) => {
          const element = Object.assign(document.createElement(tag), { [name]: address });
          element.onload = () => resolve(tried(async () => element.contentDocument?.body.innerText ?? "opaque"));
          element.onerror = () => resolve("error");
          document.body.append(element);
        }),
    );
  return {
    fetch: await read(),
    "fetch with a header": await read({ headers: { "x-own": "1" } }),
    "fetch without CORS": await read({ mode: "no-cors" }),
    "a frame": await shown("iframe", "src"),
    "a script": await shown("script", "src"),
    "an image": await shown("img", "src"),
  };
}

const { check, finish } = judge("preview page");
const other = createServer((_, answer) => answer.setHeader("content-type", "text/html").end("<p>elsewhere"));
await new Promise((listens) => other.listen(0, "127.0.0.1", listens));
const { address, stop } = await serve({}, "preview", ANNOUNCED);
const browser = await launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });

try {
  const page = await browser.newPage();
  const faults = [];
  page.on("console", (message) => faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("requestfailed", (request) => faults.push(request.url()));

  const told = (words) => page.waitForFunction((text) => document.body.innerText.includes(text), {}, words);
  for (const scheme of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    for (const width of [1200, 360]) {
      await page.setViewport({ width, height: 900 });
      await page.goto(address);
      await told("Preview of Quillmere");
      const { wide, colour } = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth,
        colour: getComputedStyle(document.querySelector("section")).borderRadius,
      }));
      check(`${scheme}, ${width} px: it has its style and is no wider`, wide <= width && colour === "8px", wide);
    }
  }

  await page.$eval("input[type=search]", (input) => (input.value = ""));
  await page.type("input[type=search]", QUESTION);
  await Promise.all([page.waitForNavigation(), page.click("button")]);
  const asked = await page.$eval("input[type=search]", (input) => input.value);
  check("the form asks what was typed", asked === QUESTION, asked);
  check("what was typed stays text", (await page.title()) === "Preview of Quillmere", await page.title());
  check("no script, frame or image came of it", (await page.$$("script, iframe, img")).length === 0);
  check("the browser has nothing against it", faults.length === 0, faults);

  if (process.argv[2]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
    await page.setViewport({ width: 1200, height: 1180 });
    for (let waiting = true; waiting; ) {
      await page.goto(address);
      waiting = await page.evaluate(() => document.body.innerText.includes("They are being asked."));
    }
    await page.screenshot({ path: process.argv[2], quality: 70 });
  }

  const stranger = await browser.newPage();
  await stranger.goto(`http://127.0.0.1:${other.address().port}/`);
  for (const [how, got] of Object.entries(await stranger.evaluate(attempts, address))) {
    check(`a page of another origin reads nothing by ${how}`, NOTHING.includes(got), got);
  }
} finally {
  await browser.close();
  await stop();
  other.close();
}
finish();
