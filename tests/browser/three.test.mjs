// three.js' own loader plays what the command exported: bones are where the command's table says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { amble, openPage, outDir, parseCsv, realClips, serve, writeBvh } from './support.mjs';

let server, browser;
before(async () => {
    server = await serve();
    browser = await openPage(`${server.url}/page/three.html`);
    await browser.page.waitForFunction(() => window.stage);
});
after(async () => {
    await browser?.close();
    server?.close();
});

/** Exports a clip both ways, plays it, and gives the largest distance between the two (m). */
async function compare(input, unit) {
    const stem = join(outDir, basename(input, '.bvh'));
    amble('export', input, '--unit-m', unit, '-o', `${stem}.glb`);
    amble('export', input, '--unit-m', unit, '-o', `${stem}.csv`);
    const { names, rows } = parseCsv(readFileSync(`${stem}.csv`, 'utf8'));
    const clips = await browser.page.evaluate((url) => window.stage.load(url), `/files/${basename(stem)}.glb`);
    assert.equal(clips.length, 1);
    assert.equal(clips[0].name, basename(stem));
    assert.ok(Math.abs(clips[0].duration - rows.at(-1)[0]) < 1e-4);
    let worst = 0;
    for (const share of [0, 0.13, 0.37, 0.5, 0.81, 1]) {
        const row = rows[Math.round(share * (rows.length - 1))];
        const places = await browser.page.evaluate((t) => window.stage.pose(0, t), row[0]);
        names.forEach((name, j) => {
            assert.ok(places[name], `three.js has no bone '${name}'`);
            const wanted = row.slice(1 + 7 * j, 4 + 7 * j);
            worst = Math.max(worst, Math.hypot(...wanted.map((v, i) => v - places[name][i])));
        });
    }
    return worst;
}

async function picture(name) {
    const covered = await browser.page.evaluate(() => window.stage.draw());
    await browser.page.screenshot({ path: join(outDir, `${name}.png`) });
    return covered;
}

test('a made-up biped moves in three.js as in the table', async () => {
    const worst = await compare(writeBvh('swing'), '1');
    console.log(`three.js against the table: ${(worst * 1000).toFixed(4)} mm at most`);
    assert.ok(worst < 1e-4);
});

test('its figure is seen', async () => {
    const covered = await picture('swing');
    console.log(`the figure covers ${(covered * 100).toFixed(1)} % of the picture`);
    assert.ok(covered > 0.005);
});

test('a captured clip moves in three.js as in the table', async (t) => {
    const [clip] = realClips('locomotion', 1);
    if (!clip) {
        t.skip('no captured motion here');
        return;
    }
    const worst = await compare(clip, '0.0564444');
    console.log(`three.js against the table, captured: ${(worst * 1000).toFixed(4)} mm at most`);
    assert.ok(worst < 1e-4);
    assert.ok((await picture('captured')) > 0.005);
});

test('the page has nothing to complain about', () => {
    assert.deepEqual(browser.errors, []);
});
