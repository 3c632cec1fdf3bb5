// Records the picture of docs/studio.md in which a shipped flow character walks to a target.
//   AMBLE_BUILD=build/release AMBLE_WASM=build/wasm node tests/browser/record_asks.mjs docs/images/asks.png
import { join } from 'node:path';
import { openPage, openStudio, outDir } from './support.mjs';

const server = await openStudio(join(outDir, 'studio'));
const { page, close } = await openPage(`${server.url}/?set=flow_velocity`);
await page.setViewportSize({ width: 900, height: 600 });
await page.waitForFunction(() => window.amble, null, { timeout: 60000 });
await page.evaluate(() => window.amble.pause());
await page.selectOption('#ask', 'target');
const at = (x, z) => page.evaluate(([px, pz]) => window.amble.studio.stage.toScreen(px, pz), [x, z]);
const [from, to] = [await at(1.3, 1.6), await at(0.5, 1.6)];
await page.mouse.move(from.x, from.y);
await page.mouse.down();
await page.mouse.move(to.x, to.y, { steps: 4 });
await page.mouse.up();
for (let i = 0; i < 10; i++) { // the camera follows
    await page.evaluate(() => window.amble.advance(6));
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
await page.screenshot({ path: process.argv[2] });
await close();
await server.stop();
