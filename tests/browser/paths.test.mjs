// Paths drawn on the studio's ground with the mouse, and the games that are played with them.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { amble, openPage, openStudio, outDir, realClips } from './support.mjs';

const cache = join(outDir, 'studio'); // those of the studio's own tests
const captured = ['locomotion', 'jump', 'low', 'dance'].every((set) => realClips(set, 1).length > 0);
const games = ['free move', 'cross the finish line', 'reach the target', 'several characters'];
let server, browser, page;

before(async () => {
    server = await openStudio(cache);
    browser = await openPage(`${server.url}/?quality=low&set=synth`);
    page = browser.page;
    await page.setViewportSize({ width: 1000, height: 560 });
    await page.waitForFunction(() => window.amble, null, { timeout: 60000 });
    await page.evaluate(() => window.amble.pause());
});
after(async () => {
    await browser?.close();
    await server?.stop();
});

const advance = (steps) => page.evaluate((count) => window.amble.advance(count), steps);
const state = () => page.evaluate(() => window.amble.state());
const hips = () => page.evaluate(() => window.amble.studio.hips);

/** Chooses a game with the mouse's mode, begins it anew, and waits for a camera that stands still. */
async function begin(game) {
    await page.selectOption('#mode', { label: 'draw a path' });
    await page.selectOption('#game', { label: game });
    await page.uncheck('#loop');
    await page.click('#reset');
    await settle();
}

async function settle() {
    await page.waitForFunction(() => {
        const now = window.amble.studio.stage.camera.position.toArray();
        const still = window.wasAt?.every((value, i) => Math.abs(value - now[i]) < 1e-3);
        window.wasAt = now;
        return still;
    }, null, { polling: 150, timeout: 30000 });
}

/** Draws through places of the ground with the left button. */
async function draw(places) {
    const ways = await page.evaluate((all) => all.map(([x, z]) => window.amble.studio.stage.toScreen(x, z)), places);
    await page.mouse.move(ways[0].x, ways[0].y);
    await page.mouse.down();
    for (const { x, y } of ways.slice(1)) {
        await page.mouse.move(x, y, { steps: 4 });
    }
    await page.mouse.up();
}

/** Steps until the chosen character's path has ended and it stands; gives the state then. */
const follow = (most = 3000) => page.evaluate((limit) => {
    window.amble.advance(1);
    for (let i = 0; i < limit && window.amble.studio.view.path === 1; i++) {
        window.amble.studio.step();
    }
    return window.amble.advance(90);
}, most);

const away = (at, [x, z]) => Math.hypot(at.x - x, at.z - z);

const curve = Array.from({ length: 15 }, (_, i) => [1.2 * Math.sin(i / 3), 0.3 * i]);

/** Draws a curve and walks it; the drawing lies where it was drawn, or begins at the character. */
async function walksCurve(control) {
    await begin('free move');
    await page.selectOption('#control', { label: control });
    const from = control === 'where drawn' ? [0, 0] : [-0.8, 0.6];
    const places = curve.map(([x, z]) => [x + from[0], z + from[1]]);
    await draw(places);
    const there = await follow();
    const drawn = await page.evaluate(() => window.amble.studio.play.drawn[0]);
    const [, x, z] = drawn.at(-1);
    const end = [x + there.pathX, z + there.pathZ];
    assert.ok(away({ x, z }, places.at(-1)) < 0.1, `the pen drew to ${x}, ${z}`);
    assert.equal(there.path, 2, 'the path has ended');
    const [at] = await hips();
    assert.ok(away(at, end) < 0.3, `it stands ${away(at, end)} m from the end`);
    assert.ok(there.speed < 0.1, `and still moves at ${there.speed} m/s`);
    assert.ok(there.measures.completed && there.measures.error < 0.15, `measures ${JSON.stringify(there.measures)}`);
    return { drawn, there };
}

test('a path drawn with the mouse is walked to its end', () => walksCurve('where drawn'));

test('a drawing may begin at the character instead', async () => {
    const { there } = await walksCurve('at the character');
    assert.ok(Math.hypot(there.pathX - 0.8, there.pathZ + 0.6) < 0.1, 'the drawing was moved to where it stood');
});

test('the page has nothing to complain about', () => {
    assert.deepEqual(browser.errors, []);
});
