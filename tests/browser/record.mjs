// Records README's moving picture: the shipped character steered by keys on the page.
//   AMBLE_BUILD=build/release AMBLE_WASM=build/wasm node tests/browser/record.mjs docs/images/steer.gif    (needs ffmpeg)
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openPage, openStudio, outDir } from './support.mjs';

const STEPS = 5; // of 1/60 s for each picture
const script = [
    [0.4, []], [1.8, ['w']], [1.3, ['d']], [1.4, ['w', 'a']], [1.9, ['w', 'Shift']], [1.2, []],
];
const frames = join(outDir, 'record');
rmSync(frames, { recursive: true, force: true });
mkdirSync(frames, { recursive: true });
const server = await openStudio(join(outDir, 'studio'));
const { page, close } = await openPage(`${server.url}/?set=locomotion`);
await page.setViewportSize({ width: 960, height: 540 });
await page.waitForFunction(() => window.amble, null, { timeout: 60000 });
await page.evaluate(() => {
    window.amble.pause();
    document.getElementById('panel').style.display = 'none';
});
// A drag turns the camera to see the steps from the side.
await page.mouse.move(300, 120);
await page.mouse.down();
await page.mouse.move(460, 110, { steps: 4 });
await page.mouse.up();
let count = 0;
for (const [seconds, keys] of script) {
    for (const key of keys) {
        await page.keyboard.down(key);
    }
    for (let t = 0; t < seconds * 60; t += STEPS) {
        await page.evaluate((steps) => window.amble.advance(steps), STEPS);
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        await page.screenshot({ path: join(frames, `${String(count++).padStart(4, '0')}.png`) });
    }
    for (const key of keys) {
        await page.keyboard.up(key);
    }
}
await close();
await server.stop();
const filter = 'crop=760:420:0:120,scale=400:-1:flags=area,split[a][b];[a]palettegen=max_colors=48[p];[b][p]paletteuse=dither=none:diff_mode=rectangle';
execFileSync('ffmpeg', ['-loglevel', 'error', '-y', '-framerate', String(60 / STEPS), '-i', join(frames, '%04d.png'), '-vf', filter, process.argv[2]]);
