// Paths drawn on the studio's ground with the mouse, and the games that are played with them.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { amble, long, openPage, openStudio, outDir, realClips } from './support.mjs';

const cache = join(outDir, 'studio'); // those of the studio's own tests
const captured = ['locomotion', 'jump', 'low', 'dance'].every((set) => realClips(set, 1).length > 0);
let server, browser, page;

before(async () => {
    server = await openStudio(cache);
    browser = await openPage(`${server.url}/?quality=low&set=synth`);
    page = browser.page;
    await page.setViewportSize({ width: 1000, height: 560 });
    await page.waitForFunction(() => window.amble, null, { timeout: 60000 });
    // Pictures take longer than steps here, and the mouse waits for them.
    await page.evaluate(() => {
        window.amble.pause();
        window.amble.studio.blind = true;
    });
});
after(async () => {
    await browser?.close();
    await server?.stop();
});

const advance = (steps) => page.evaluate((count) => window.amble.advance(count), steps);
const state = () => page.evaluate(() => window.amble.state());
const hips = () => page.evaluate(() => window.amble.studio.hips);

/** Chooses a game, begins it anew, and lets the camera come to rest. */
async function begin(game) {
    await page.selectOption('#mode', { label: 'draw a path' });
    await page.selectOption('#game', { label: game });
    await page.uncheck('#loop');
    await page.click('#reset');
    await look();
}

/** Puts the camera where it would come to rest. */
const look = () => page.evaluate(() => {
    const { studio } = window.amble;
    studio.stage.follow(studio.after[4], 0.9, studio.after[6], 60);
});

const setScale = (value) => page.evaluate((text) => {
    document.getElementById('scale').value = text;
}, value);

/** Draws through places of the ground with the left button, so many milliseconds from one to the next. */
async function draw(places, pause = 0) {
    const ways = await page.evaluate((all) => all.map(([x, z]) => window.amble.studio.stage.toScreen(x, z)), places);
    await page.mouse.move(ways[0].x, ways[0].y);
    await page.mouse.down();
    for (const { x, y } of ways.slice(1)) {
        await page.mouse.move(x, y, { steps: 3 });
        await page.waitForTimeout(pause);
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

test('a path that is drawn after steering is measured at once', async () => {
    await page.selectOption('#mode', { label: 'steer' });
    await page.click('#reset');
    await page.keyboard.down('w');
    await advance(60);
    await page.keyboard.up('w');
    await advance(60);
    await page.selectOption('#mode', { label: 'draw a path' });
    await look();
    const [{ x, z }] = await hips();
    await draw([[x, z], [x + 0.5, z + 1], [x + 1, z + 2]], 60);
    await follow();
    const { error } = await page.evaluate(() => window.amble.studio.engine.measures);
    assert.ok(error > 0.0005 && error < 0.2, `path error ${error}`);
});

test('on a path the camera does not turn the right stick', async () => {
    const sticks = await page.evaluate(() => {
        const { input } = window.amble.studio;
        const pads = navigator.getGamepads;
        navigator.getGamepads = () => [{ connected: true, axes: [0, 0, 1, 0], buttons: [] }];
        const read = [true, false].map((onPath) => input.read(Math.PI / 2, onPath).right);
        navigator.getGamepads = pads;
        return read;
    });
    assert.ok(sticks[0][0] === 1 && Math.abs(sticks[0][1]) < 1e-6, 'as it is held');
    assert.ok(Math.abs(sticks[1][0]) < 1e-6 && Math.abs(sticks[1][1]) > 0.9, 'turned while steering');
});

test('a path drawn with the mouse is walked to its end', () => walksCurve('where drawn'));

test('a drawing may begin at the character instead', async () => {
    const { there } = await walksCurve('at the character');
    assert.ok(Math.hypot(there.pathX - 0.8, there.pathZ + 0.6) < 0.1, 'the drawing was moved to where it stood');
});

test('a finger draws, too, and two do not', async () => {
    await begin('free move');
    const touch = await page.context().newCDPSession(page);
    const ways = await page.evaluate(() => [[0, 0], [0.4, 0.5], [0.5, 1], [0.5, 1.6]].map(([x, z]) => window.amble.studio.stage.toScreen(x, z)));
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [ways[0]] });
    for (const way of ways.slice(1)) {
        await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [way] });
    }
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await follow();
    const [at] = await hips();
    assert.ok(away(at, [0.5, 1.6]) < 0.3, `it stands at ${at.x}, ${at.z}`);
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ ...ways[0], id: 1 }] });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ ...ways[0], id: 1 }, { ...ways[1], id: 2 }] });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    assert.equal(await page.evaluate(() => window.amble.studio.play.next.length), 0);
    await touch.detach();
});

test('a new path takes the place of the one that is walked, and keys lead away from it', async () => {
    await begin('free move');
    await page.selectOption('#control', { label: 'where drawn' });
    await draw([[0, 0], [0, 2], [0, 4]]);
    assert.equal((await advance(60)).path, 1);
    await look();
    await draw([[0, 1], [1.2, 1.4], [2, 1.2]]);
    await follow();
    const [at] = await hips();
    assert.ok(away(at, [2, 1.2]) < 0.3, `it stands at ${at.x}, ${at.z}`);
    await look();
    await draw([[2, 1], [0, 1]]);
    await advance(30);
    await page.keyboard.down('w');
    const steered = await advance(60);
    await page.keyboard.up('w');
    assert.equal(steered.path, 0, 'steering leaves the path');
    assert.ok(steered.desiredZ > 0);
});

test('a round path goes on, and Shift runs along it', { skip: long }, async () => {
    await begin('free move');
    await page.check('#loop');
    await page.selectOption('#control', { label: 'where drawn' });
    await setScale('0.05');
    await draw(Array.from({ length: 16 }, (_, i) => [1.6 * Math.sin(0.4 * i), 1.6 - 1.6 * Math.cos(0.4 * i)]), 100);
    const round = () => page.evaluate(() => {
        const from = window.amble.studio.view.pathLaps;
        let steps = 0;
        while (window.amble.studio.view.pathLaps === from && steps < 3600) {
            window.amble.studio.step();
            steps++;
        }
        return steps;
    });
    await advance(1);
    await round();
    const walked = await round();
    await page.keyboard.down('Shift');
    await round();
    const ran = await round();
    await page.keyboard.up('Shift');
    assert.ok(walked < 3600 && ran < 0.9 * walked, `a lap takes ${walked} steps, with Shift ${ran}`);
    assert.equal((await state()).path, 1);
    await setScale('0.2');
});

test('options and methods change on the way, and the path goes on to its end', async () => {
    await begin('free move');
    await page.selectOption('#control', { label: 'where drawn' });
    await draw(curve);
    let last = await advance(40);
    const setEvery = (value) => page.evaluate((text) => {
        const input = document.getElementById('search_every_s');
        input.value = text;
        input.dispatchEvent(new Event('change'));
    }, value);
    const changes = {
        root: () => page.selectOption('#root', { label: 'animation' }), 'root again': () => page.selectOption('#root', { label: 'mixed' }),
        point: () => page.selectOption('#root', { label: 'simulation' }), 'mixed again': () => page.selectOption('#root', { label: 'mixed' }),
        transitions: () => page.selectOption('#inertialise', { label: 'quintic' }), feet: () => page.uncheck('#ik'),
        search: () => setEvery('0.1'), method: () => page.selectOption('#method', { label: 'long-horizon' }),
        'method again': () => page.selectOption('#method', { label: 'matching' }),
    };
    for (const [name, change] of Object.entries(changes)) {
        const [from] = await hips();
        await change();
        const [next, [at]] = [await advance(1), await hips()];
        assert.equal(next.path, 1, `${name}: the path is followed`);
        assert.ok(next.pathAt >= last.pathAt && next.pathAt < last.pathAt + 0.1, `${name}: at ${next.pathAt} m after ${last.pathAt}`);
        // The simulated point is where the path's own time is; the body may have been behind it.
        assert.ok(away(at, [from.x, from.z]) < (name === 'point' ? 0.5 : 0.06), `${name}: the hips jumped by ${away(at, [from.x, from.z])} m`);
        last = await advance(15);
        assert.ok(last.path === 1 && last.pathAt > next.pathAt, `${name}: it gets on, at ${last.pathAt} m after ${next.pathAt}`);
    }
    assert.ok(await page.evaluate(() => window.amble.studio.play.views[0].dots.count > 0), 'and is still seen');
    const there = await follow();
    assert.equal(there.path, 2);
    assert.ok(there.measures.completed && there.measures.error < 0.15, `the whole way is measured: ${JSON.stringify(there.measures)}`);
    assert.ok(there.measures.end < 0.3, `it stands ${there.measures.end} m from the end`);
    await page.check('#ik');
    await page.selectOption('#inertialise', { label: 'spring' });
    await page.dblclick('label:has(#search_every_s) > span'); // the default again
});

test('a log with drawings plays again', async () => {
    await begin('free move');
    await draw([[0, 0], [0.6, 1], [0, 2]]);
    await advance(120);
    const { hash, log } = await page.evaluate(() => ({ hash: window.amble.engine.hash(), log: window.amble.studio.log }));
    assert.equal(log.filter((item) => item.paths).length, 1);
    assert.equal(await page.evaluate((steps) => window.amble.replay(steps), log), hash);
});

// ---------------------------------------------------------------------------------------------
// Games

test('free move: one walks wherever one draws, and is told how well', async () => {
    await begin('free move');
    await draw([[0, 0], [-0.8, 1], [0, 2]]);
    const there = await follow();
    await page.evaluate(() => {
        window.amble.studio.pictures = 0;
        window.amble.studio.draw(1 / 60);
    });
    assert.equal(await page.textContent('#show-path'), 'done');
    assert.equal(await page.textContent('#show-error'), `${(100 * there.measures.error).toFixed(1)} cm, end ${(100 * there.measures.end).toFixed(0)} cm`);
});

test('cross the finish line: obstacles are waited for, and touched ones send back', { skip: long }, async () => {
    await begin('cross the finish line');
    await setScale('1');
    await draw([[0, 0], [0, 1.6]]);
    const touched = await page.evaluate(() => {
        for (let i = 0; i < 1800 && window.amble.state().game !== 'lost'; i++) {
            window.amble.studio.step();
        }
        return window.amble.state().game;
    });
    assert.equal(touched, 'lost', 'a character that stands in a lane is hit');
    const again = await advance(91);
    assert.equal(again.game, 'plays');
    assert.ok(Math.abs(again.rootZ) < 0.2, 'back at the start');
    // From gap to gap, when the lane between is free for a while.
    for (let tries = 0; tries < 12 && (await state()).game !== 'won'; tries++) {
        const { rootX: x, rootZ: z } = await page.evaluate(() => {
            const { game } = window.amble.studio.play;
            const ahead = () => {
                const { rootX: x, rootZ: z } = window.amble.studio.view;
                return game.rules.obstacles.some(([, lane, , speed], i) => lane > z && lane < z + 1.5 &&
                    game.obstacles[i][0] > x - 0.8 && game.obstacles[i][0] < x + 0.8 + 3.5 * speed);
            };
            for (let i = 0; i < 1200 && (i < 5 || ahead() || game.result === 'lost'); i++) {
                window.amble.studio.step();
            }
            return window.amble.state();
        });
        await draw([[x, z], [0, z + 0.7], [0, [0.9, 2.3, 3.7, 5.1, 7.5].find((gap) => gap > z + 0.5) ?? 7.5]]);
        await follow(600);
    }
    assert.equal((await state()).game, 'won');
    await setScale('0.2');
});

test('reach the target: around the obstacles, by hand or by a path that avoids them', { skip: long }, async () => {
    await begin('reach the target');
    const straight = [[0, 0], [0, 3], [0, 6.5]];
    await draw(straight);
    await follow();
    assert.notEqual((await state()).game, 'won', 'straight on is an obstacle');
    await begin('reach the target');
    await draw([[0, 0], [0.75, 1.6], [0.75, 2.1], [0.25, 3.3], [0.6, 4.4], [0.6, 5.2], [0, 6.5]]);
    assert.equal((await follow()).game, 'won');
    await begin('reach the target');
    await page.check('#avoid');
    await draw(straight);
    assert.equal((await follow()).game, 'won', 'the path is bent');
    await page.uncheck('#avoid');
});

test('several characters: keys choose the character to draw for, all walk at once', { skip: long }, async () => {
    await begin('several characters');
    const ways = [[[2, 0], [0.9, 2.2], [0, 3.6], [-0.6, 4.6], [-2, 6]], [[0, 0], [0.8, 1.6], [0.8, 2.4], [0.5, 3.6], [0.9, 4.8], [2, 6]],
        [[-2, 0], [-1, 2.2], [-0.5, 3.4], [0, 6]]];
    for (const [i, way] of ways.entries()) {
        await page.keyboard.press(String(i + 1));
        await draw(way);
    }
    assert.equal((await advance(60)).chosen, 2, 'a path that begins does not change the choice');
    const shown = await page.evaluate(() => window.amble.studio.view.rootX);
    const before = await hips();
    assert.ok(Math.abs(shown - before[2].x) < 0.3, 'the view shows the character that the key chose');
    await advance(60);
    const moving = await hips();
    assert.ok(moving.every((at, i) => away(at, [before[i].x, before[i].z]) > 0.1), 'all walk at once');
    const won = await page.evaluate(() => {
        for (let i = 0; i < 6000 && window.amble.studio.play.game.result === 'plays'; i++) {
            window.amble.studio.step();
        }
        return window.amble.state();
    });
    assert.equal(won.game, 'won');
    assert.deepEqual(won.reached, [true, true, true]);
    const log = await page.evaluate(() => window.amble.studio.log);
    assert.equal(await page.evaluate((steps) => window.amble.replay(steps), log), won.hash, 'the log plays again');
    assert.equal(await page.evaluate(() => window.amble.studio.others.length), 2, 'three bodies');
    await page.selectOption('#mode', { label: 'steer' });
    assert.equal(await page.evaluate(() => window.amble.studio.others.length), 0, 'and one again');
});

test('several characters have one kind of body, each its own and in its colour', async (t) => {
    await begin('several characters');
    for (const [body, kinds] of [['figure', 'Figure'], ['skeleton', 'Skeleton'], ['both', 'Figure+Skeleton'], ['mannequin', 'Mannequin']]) {
        if (body === 'mannequin' && await page.evaluate(() => window.amble.studio.bodies.length < 3)) {
            t.skip('the mannequin is not installed');
            return;
        }
        await page.selectOption('#body', { label: body });
        const shown = await page.evaluate(() => [window.amble.studio.bodies, ...window.amble.studio.others].map((bodies) => (
            [bodies].flat().filter((item) => item.object.visible && item.object.parent).map((item) => item.constructor.name).join('+'))));
        assert.deepEqual(shown, [kinds, kinds, kinds]);
    }
    const mannequins = await page.evaluate(() => {
        const { studio } = window.amble;
        studio.draw(1 / 60);
        return [studio.bodies, ...studio.others].map(([, , mannequin], i) => {
            mannequin.object.updateMatrixWorld(true);
            const { elements } = mannequin.bones.hips.matrixWorld;
            const skins = [];
            mannequin.object.traverse((item) => item.isSkinnedMesh && skins.push(item));
            return { off: Math.hypot(elements[12] - studio.hips[i].x, elements[14] - studio.hips[i].z),
                own: skins.every((skin) => skin.skeleton.bones.includes(mannequin.bones.hips)),
                geometry: skins[0].geometry.uuid, colours: skins.map((skin) => skin.material.color.getHexString()).join() };
        });
    });
    await page.selectOption('#body', { label: 'figure' });
    await page.selectOption('#game', { label: 'free move' });
    assert.ok(mannequins.every(({ off }) => off < 0.001), `each is where its character is: ${mannequins.map(({ off }) => off)} m off`);
    assert.ok(mannequins.every(({ own }) => own), 'each skin has its own bones');
    assert.equal(new Set(mannequins.map(({ geometry }) => geometry)).size, 1, 'the geometry is there once');
    assert.equal(new Set(mannequins.map(({ colours }) => colours)).size, 3, 'and each has its colour');
});

// ---------------------------------------------------------------------------------------------

test('captured motion follows drawings as amble run does', async (t) => {
    if (!captured) {
        t.skip('no captured motion here');
        return;
    }
    await page.selectOption('#set', 'cmu');
    await page.waitForFunction(() => window.amble.state().set === 'cmu', null, { timeout: 120000 });
    await page.evaluate(() => window.amble.pause());
    const { drawn, there } = await walksCurve('where drawn');
    const script = join(outDir, 'studio-path.json');
    writeFileSync(script, JSON.stringify({ database: join(cache, 'cmu.amdb'), controller: 'long-horizon', fps: 60,
        characters: [{ path: { points: drawn, scale: 0.2 } }] }));
    const metrics = join(outDir, 'studio-path.metrics.json');
    amble('run', script, '--metrics', metrics);
    const [native] = JSON.parse(readFileSync(metrics)).characters;
    assert.ok(Math.abs(native.path_error_m - there.measures.error) < 1e-6, `command ${native.path_error_m}, page ${there.measures.error}`);
    assert.ok(native.path_end_m < 0.3);
});

/** Draws sideways from the character and walks it with a facing; gives how far it faced off its way at first, and the drawing. */
async function facesOnTheWay(facing) {
    await begin('free move');
    await page.selectOption('#control', { label: 'where drawn' });
    await page.selectOption('#facing', { label: facing });
    await draw([[0, 0], [0.5, 0], [1, 0.1], [1.5, 0.1], [2, 0]], 60);
    const off = await page.evaluate(() => {
        const { studio } = window.amble;
        let [sum, count, x, z] = [0, 0, studio.view.rootX, studio.view.rootZ];
        studio.step();
        for (let i = 0; i < 3000 && studio.view.path === 1; i++) {
            studio.step();
            const { rootX, rootZ, heading } = studio.view;
            const [dx, dz] = [rootX - x, rootZ - z];
            if (i < 45 && Math.hypot(dx, dz) > 0.3 / 60) {
                sum += Math.acos(Math.max(-1, Math.min(1, (dx * Math.sin(heading) + dz * Math.cos(heading)) / Math.hypot(dx, dz))));
                count += 1;
            }
            [x, z] = [rootX, rootZ];
        }
        return (sum / count) * (180 / Math.PI);
    });
    const drawn = await page.evaluate(() => window.amble.studio.play.drawn[0]);
    await page.selectOption('#facing', { label: 'along the path' });
    return { off, drawn, end: await follow() };
}

test('the network that ships faces as people would, as in amble run', async (t) => {
    const sets = await page.evaluate(() => fetch('api/sets').then((response) => response.json()));
    const set = captured ? 'cmu' : 'synth';
    assert.equal(sets.sets.find(({ name }) => name === set).direction, '/models/direction.amnet');
    assert.equal((await page.request.get(`${server.url}/models/README.md`)).status(), 404);
    assert.equal(await page.evaluate(() => window.amble.engine.about.direction), true);
    const told = await facesOnTheWay('as people would');
    assert.equal(told.end.path, 2);
    assert.ok(told.end.measures.end < 0.3, `it stands ${told.end.measures.end} m from the end`);
    if (!captured) {
        t.skip('no captured motion here to step sideways with');
        return;
    }
    const along = await facesOnTheWay('along the path');
    // It begins with side steps and turns into the path later than a character that faces along it.
    assert.ok(told.off > along.off + 3, `it steps sideways: ${told.off} degrees off its way, else ${along.off}`);
    const script = join(outDir, 'studio-facing.json');
    writeFileSync(script, JSON.stringify({ database: join(cache, 'cmu.amdb'), controller: 'long-horizon', fps: 60,
        characters: [{ path: { points: told.drawn, scale: 0.2, facing: 'net' } }] }));
    const metrics = join(outDir, 'studio-facing.metrics.json');
    amble('run', script, '--metrics', metrics);
    const [native] = JSON.parse(readFileSync(metrics)).characters;
    assert.ok(Math.abs(native.path_error_m - told.end.measures.error) < 1e-6, `command ${native.path_error_m}, page ${told.end.measures.error}`);
});

test('the page has nothing to complain about', () => {
    assert.deepEqual(browser.errors, []);
});
