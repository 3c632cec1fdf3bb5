// The studio of an installed tree (AMBLE_PREFIX), in an empty folder with an empty home: it serves all that its page
// loads, the shipped character walks, and what it builds goes into the user's cache.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openHalted, outDir, startStudio } from './support.mjs';

const home = mkdtempSync(join(tmpdir(), 'amble-home-'));
let server, browser;

before(async () => {
    server = await startStudio(join(process.env.AMBLE_PREFIX, 'bin/amble'), [], { cwd: home, env: { HOME: home } });
    browser = await openHalted(server, '');
});
after(async () => {
    await browser?.close();
    await server?.stop();
    rmSync(home, { recursive: true, force: true });
});

const advance = (steps) => browser.page.evaluate((count) => window.amble.advance(count), steps);

test('the character that ships walks while W is held', async () => {
    const start = await advance(30);
    assert.equal(start.set, 'everyday');
    assert.equal(start.method, 'learned');
    await browser.page.keyboard.down('w');
    const walking = await advance(150);
    assert.ok(Math.abs(walking.speed - 1.2) < 0.25, `walks at ${walking.speed}`);
    assert.ok(walking.rootZ > start.rootZ + 1, `went from ${start.rootZ} to ${walking.rootZ}`);
    await browser.page.evaluate(() => window.amble.studio.draw(2)); // the camera comes along softly
    await browser.page.screenshot({ path: join(outDir, 'installed.png') });
    await browser.page.keyboard.up('w');
    const standing = await advance(180);
    assert.ok(standing.speed < 0.15, `stands at ${standing.speed}`);
    assert.deepEqual(browser.errors, []);
});

test('a set that has to be built is kept in the user\'s cache', async () => {
    await browser.page.selectOption('#set', 'synth');
    await browser.page.waitForFunction(() => window.amble.state().set === 'synth', null, { timeout: 60000 });
    assert.ok(existsSync(join(home, '.cache/amble/studio/synth.amdb')));
    const { sets } = await (await fetch(`${server.url}/api/sets`)).json();
    for (const url of sets.flatMap(({ direction, values }) => [direction, values]).filter(Boolean)) {
        const answer = await fetch(server.url + url);
        assert.equal(answer.status, 200, url);
        assert.ok((await answer.arrayBuffer()).byteLength > 10000, url);
    }
    assert.deepEqual(browser.errors, []);
});
