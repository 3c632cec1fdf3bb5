// A learned character in the studio: networks alone are a data set of their own, methods change while the character
// walks, and matching and learned go side by side. The networks are what the C tests trained within seconds.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { addStudy } from '../../lab/study/run.mjs';
import { amble, buildDir, long, openHalted, openStudio, outDir } from './support.mjs';

const trained = join(buildDir, 'test-files/learned_run/tiny.amnet');
const models = join(outDir, 'models');
const skip = existsSync(trained) ? false : 'no networks: the build has no training';
let server, browser, page;

before(async () => {
    if (skip) {
        console.log(`SKIPPED: ${skip}`);
        return;
    }
    rmSync(models, { recursive: true, force: true });
    mkdirSync(models, { recursive: true });
    copyFileSync(trained, join(models, 'locomotion_tiny.amnet'));
    writeFileSync(join(models, 'broken.amnet'), 'no network at all');
    server = await openStudio(join(outDir, 'studio'), '--models', models);
    browser = await openHalted(server, 'locomotion_tiny');
    page = browser.page;
});
after(async () => {
    await browser?.close();
    await server?.stop();
});

const advance = (steps) => page.evaluate((count) => window.amble.advance(count), steps);
const state = () => page.evaluate(() => window.amble.state());

async function setMethod(method) {
    await page.selectOption('#method', method);
    await page.waitForFunction((wanted) => window.amble.state().method === wanted, method, { timeout: 60000 });
}

test('networks are listed as a data set, files that are none are not', { skip }, async () => {
    assert.ok(server.sets.includes('locomotion_tiny'));
    assert.ok(!server.sets.includes('broken'));
    const about = await page.evaluate(() => window.amble.engine.about);
    assert.equal(about.hasFrames, false);
    assert.ok(about.methods.find((item) => item.name === 'learned').modelBytes > 0);
    assert.equal((await state()).method, 'learned');
    assert.deepEqual(await page.locator('#method option').allTextContents(), ['learned'], 'no method that needs frames');
    assert.match(await page.textContent('#show-size'), /networks/);
});

test('a learned character walks, turns and stops by the keys', { skip }, async () => {
    await page.evaluate(() => window.amble.studio.reset());
    await page.keyboard.down('w');
    await advance(60);
    const walking = await advance(120);
    assert.ok(walking.speed > 0.5, `speed ${walking.speed}`);
    assert.equal(Math.floor(walking.frame), -1);
    const told = walking.costs.reduce((sum, cost) => sum + cost, 0);
    assert.ok(walking.cost > 0 && Math.abs(told - walking.cost) < 1e-3 * (1 + walking.cost), `the features' distances ${told} make ${walking.cost}`);
    const before = { x: walking.rootX, z: walking.rootZ };
    await page.keyboard.up('w');
    await page.keyboard.down('d');
    const turned = await advance(150);
    await page.keyboard.up('d');
    assert.ok(Math.hypot(turned.rootX - before.x, turned.rootZ - before.z) > 0.5);
    const standing = await advance(180);
    assert.ok(standing.speed < 0.3, `speed ${standing.speed}`);
    assert.equal(standing.fallback, 0);
    await page.screenshot({ path: join(outDir, 'learned.png') });
    assert.deepEqual(browser.errors, []);
});

test('the page computes what the command computes', { skip }, async () => {
    const log = join(outDir, 'learned-run.json');
    await page.evaluate(() => window.amble.studio.reset());
    await page.evaluate(() => window.amble.engine.set({ walk_mps: 0 }));
    await page.keyboard.down('w');
    const { hash } = await advance(120);
    await page.keyboard.up('w');
    writeFileSync(log, JSON.stringify({ model: join(models, 'locomotion_tiny.amnet'), controller: 'learned', seconds: 2,
        characters: [{ keys: [{ t: 0, down: ['W'] }] }] }));
    const told = JSON.parse(amble('run', log, '--json'));
    assert.equal(hash, told.hash);
});

test('methods change while the character walks, and the pose goes on', { skip }, async () => {
    await page.selectOption('#set', 'synth');
    await page.waitForFunction(() => window.amble.state().set === 'synth', null, { timeout: 60000 });
    await page.evaluate(() => window.amble.pause());
    await page.keyboard.down('w');
    await advance(120);
    for (const method of ['learned', 'long-horizon', 'match', 'learned', 'match']) {
        const pose = () => page.evaluate(() => Array.from(window.amble.studio.after));
        const before = await pose();
        await setMethod(method);
        const now = await advance(1);
        const after = await pose();
        let farthest = 0;
        for (let i = 0; i < before.length; i += 7) {
            farthest = Math.max(farthest, Math.hypot(after[i + 4] - before[i + 4], after[i + 5] - before[i + 5], after[i + 6] - before[i + 6]));
        }
        assert.ok(farthest < 0.2, `a joint jumped by ${farthest} m with method ${method}`);
        assert.equal(now.frame < 0, method === 'learned');
        const walking = await advance(90);
        assert.ok(walking.speed > 0.4, `speed ${walking.speed} with method ${method}`);
    }
    await page.keyboard.up('w');
});

test('networks take over on a drawn path, and give it back', { skip: skip || long }, async () => {
    await setMethod('match');
    await page.selectOption('#mode', { label: 'draw a path' });
    await page.evaluate(() => {
        const { studio } = window.amble;
        const { rootX: x, rootZ: z } = studio.view;
        studio.play.take(Array.from({ length: 30 }, (_, i) => [0.05 * i, x, z + 0.2 * i]));
    });
    let last = await advance(60);
    for (const method of ['learned', 'match', 'learned', 'long-horizon']) {
        await setMethod(method);
        const now = await advance(60);
        assert.equal(now.path, 1, `followed with method ${method}`);
        assert.ok(now.pathAt > last.pathAt, `at ${now.pathAt} m after ${last.pathAt} with method ${method}`);
        last = now;
    }
    await page.selectOption('#mode', { label: 'steer' });
    await setMethod('match');
    assert.deepEqual(browser.errors, []);
});

test('matching and learned go side by side by the same keys', { skip }, async () => {
    await setMethod('side-by-side');
    const hips = () => page.evaluate(() => window.amble.studio.hips);
    assert.equal((await hips()).length, 2);
    const from = await hips();
    await page.keyboard.down('w');
    await advance(180);
    await page.keyboard.up('w');
    const to = await hips();
    for (let i = 0; i < 2; i++) {
        assert.ok(Math.hypot(to[i].x - from[i].x, to[i].z - from[i].z) > 1, `character ${i} went ${JSON.stringify([from[i], to[i]])}`);
    }
    const seen = await page.evaluate(() => {
        const { studio } = window.amble;
        studio.draw(2); // the camera comes along softly
        const { left } = document.querySelector('#panel').getBoundingClientRect();
        return { left, places: studio.hips.map(({ x, z }) => studio.stage.toScreen(x, z, 1).x) };
    });
    assert.ok(seen.places.every((x) => x > 0 && x < seen.left), `both beside the panel: ${JSON.stringify(seen)}`);
    await page.screenshot({ path: join(outDir, 'side-by-side.png') });
    await setMethod('match');
    assert.equal((await hips()).length, 1);
    assert.deepEqual(browser.errors, []);
});

test('the study asks blind, toggles, scores and saves', { skip: skip || long }, async () => {
    await page.goto(`${server.url}/?quality=low&set=synth`);
    await addStudy(page, 7);
    const ready = () => page.evaluate(() => window.amble.study.ready);
    const method = async () => (await state()).method;
    await page.evaluate(() => {
        window.amble.pause();
        window.amble.studio.blind = true; // clicks need not wait for pictures
    });
    await ready();
    assert.equal(await method(), 'match'); // the reference is matching
    assert.equal(await page.isVisible('#panel'), false);
    await page.click('#study-next');
    await ready();
    const systems = await page.evaluate(() => window.amble.study.systems);
    assert.notEqual(systems.A, systems.B);
    assert.equal(await method(), systems.A);
    await page.keyboard.press('t');
    await ready();
    assert.equal(await method(), systems.B);
    assert.equal(await page.textContent('#study-letter'), 'B');
    await page.click('#study-next');
    await page.click('#study-next'); // nothing is answered yet: it stays
    assert.equal(await page.evaluate(() => window.amble.study.step), 'questions');
    const reference = systems.A === 'match' ? 0 : 4; // surely the right one
    await page.check(`#study-reference input[value="${reference}"]`);
    await page.check('#study-quality input[value="2"]');
    await page.check('#study-responsiveness input[value="1"]');
    await page.click('#study-next');
    await ready();
    await page.click('#study-next');
    await ready();
    for (let i = 0; i < 10; i++) {
        const plays = await method();
        await page.click(plays === 'match' && i !== 3 ? '#study-yes' : '#study-no');
        await ready();
    }
    const text = await page.evaluate(async () => (await fetch(document.getElementById('study-file').href)).text());
    const answers = JSON.parse(text);
    assert.equal(answers.scores.reference, 2);
    assert.equal(answers.scores.quality, 0);
    assert.equal(answers.scores.responsiveness, systems.B === 'learned' ? -1 : 1);
    assert.equal(answers.trials.length, 10);
    const systemsPlayed = answers.trials.map((item) => item.system);
    assert.equal(answers.scores.right, systemsPlayed[3] === 'MM' ? 9 : 10);
    assert.equal(answers.toggles, 1);
    assert.ok(answers.seconds.compare >= 0);
    assert.deepEqual(browser.errors, []);
});
