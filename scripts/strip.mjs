// Draws a strip of stick figures from a BVH file, to judge motion by eye:
//   node scripts/strip.mjs CLIP.bvh OUT.svg [--from S] [--to S] [--figures N] [--unit METRES] [--spread METRES]
// Upper row from the side, lower row from the front, both turned into the figure's own facing; the ground line is
// at height 0. The left limbs are red, the right ones blue. With CLIP.truth.csv beside the clip (amble synth) a
// standing toe gets a filled dot and a standing heel a hollow one. Below: knee angles, hip height and the speed
// of both toes over the whole stretch. Turn the SVG into a picture with
//   chromium --headless --no-sandbox --screenshot=OUT.png --window-size=1800,900 OUT.svg
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const args = process.argv.slice(2);
const option = (name, fallback) => {
    const at = args.indexOf(name);
    return at < 0 ? fallback : Number(args.splice(at, 2)[1]);
};
const from = option('--from', 0), to = option('--to', 1e9), figures = option('--figures', 14);
const unit = option('--unit', 1), spread = option('--spread', 0.9);
const [file, output] = args;

// Quaternions w x y z.
const mul = (a, b) => [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]];
const turn = (q, v) => mul(mul(q, [0, ...v]), [q[0], -q[1], -q[2], -q[3]]).slice(1);
const about = (axis, degrees) => {
    const q = [Math.cos(degrees * Math.PI / 360), 0, 0, 0];
    q['XYZ'.indexOf(axis) + 1] = Math.sin(degrees * Math.PI / 360);
    return q;
};

/// Joints with offsets and channels, and the rows of numbers.
function readBvh(text) {
    const words = text.split(/\s+/).filter(Boolean);
    const joints = [], stack = [];
    let at = 0, channels = 0;
    for (; words[at] !== 'MOTION'; at++) {
        if (['ROOT', 'JOINT', 'End'].includes(words[at])) {
            const parent = stack.length ? stack[stack.length - 1] : -1;
            joints.push({ name: words[at] === 'End' ? '' : words[at + 1], parent, channels: [], first: channels });
        } else if (words[at] === '{') {
            stack.push(joints.length - 1);
        } else if (words[at] === '}') {
            stack.pop();
        } else if (words[at] === 'OFFSET') {
            joints[stack[stack.length - 1]].offset = words.slice(at + 1, at + 4).map((w) => w * unit);
        } else if (words[at] === 'CHANNELS') {
            const joint = joints[stack[stack.length - 1]];
            joint.first = channels;
            joint.channels = words.slice(at + 2, at + 2 + Number(words[at + 1]));
            channels += joint.channels.length;
        }
    }
    const frames = Number(words[at + 2]), step = Number(words[at + 5]);
    const numbers = words.slice(at + 6).map(Number);
    const rows = Array.from({ length: frames }, (_, f) => numbers.slice(f * channels, (f + 1) * channels));
    return { joints, rows, step };
}

/// World positions of all joints in a row, and the root's rotation.
function pose(joints, row) {
    const places = [], rotations = [];
    joints.forEach((joint, j) => {
        let q = [1, 0, 0, 0];
        const shift = [...joint.offset];
        joint.channels.forEach((name, k) => {
            const value = row[joint.first + k];
            if (name.endsWith('rotation')) {
                q = mul(q, about(name[0], value));
            } else {
                shift['XYZ'.indexOf(name[0])] = value * unit;
            }
        });
        if (joint.parent < 0) {
            rotations[j] = q;
            places[j] = shift;
        } else {
            rotations[j] = mul(rotations[joint.parent], q);
            places[j] = turn(rotations[joint.parent], shift).map((x, i) => x + places[joint.parent][i]);
        }
    });
    return { places, rotations };
}

const bvh = readBvh(readFileSync(file, 'utf8'));
const truthFile = file.replace(/\.bvh$/, '.truth.csv');
const truth = existsSync(truthFile)
    ? readFileSync(truthFile, 'utf8').trim().split('\n').slice(1).map((line) => line.split(',')) : null;
const begin = Math.max(0, Math.round(from / bvh.step));
const end = Math.min(bvh.rows.length - 1, Math.round(to / bvh.step));
const poses = bvh.rows.map((row) => pose(bvh.joints, row));
const find = (pattern) => bvh.joints.findIndex((joint) => pattern.test(joint.name));

const parts = [];
const scale = 170, width = 1800, floor = [380, 700], tints = ['#c22', '#22c'];
const isLeft = (name) => /left/i.test(name) || /^l[A-Z_]|\.L$|_l$/.test(name);
const isRight = (name) => /right/i.test(name) || /^r[A-Z_]|\.R$|_r$/.test(name);
const color = (name) => (isLeft(name) ? '#c22' : isRight(name) ? '#22c' : '#333');
parts.push(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="900" font-family="sans-serif">`,
    `<rect width="${width}" height="900" fill="#fff"/><text x="10" y="18" font-size="13">${file}</text>`);
for (const y of floor) {
    parts.push(`<line x1="0" x2="${width}" y1="${y}" y2="${y}" stroke="#aaa"/>`);
}

/// One figure: view 0 from its right side (facing right), 1 from the front.
function draw(f, column, view) {
    const { places, rotations } = poses[f];
    const facing = turn(rotations[0], [0, 0, 1]);
    const length = Math.hypot(facing[0], facing[2]) || 1;
    const ahead = [facing[0] / length, facing[2] / length];
    const middle = 60 + column * scale * spread * 0.78;
    const spot = (p) => {
        const dx = p[0] - places[0][0], dz = p[2] - places[0][2];
        const across = view === 0 ? dx * ahead[0] + dz * ahead[1] : dx * ahead[1] - dz * ahead[0];
        return [middle + across * scale, floor[view] - p[1] * scale];
    };
    bvh.joints.forEach((joint, j) => {
        if (joint.parent < 0) {
            return;
        }
        const a = spot(places[joint.parent]), b = spot(places[j]);
        const name = joint.name || bvh.joints[joint.parent].name;
        const [x1, y1, x2, y2] = [...a, ...b].map((x) => x.toFixed(1));
        parts.push(`<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${color(name)}"`
            + ` stroke-width="${isRight(name) ? 2 : 3}" stroke-linecap="round"/>`);
    });
    const head = spot(places[find(/head/i)]);
    parts.push(`<circle cx="${head[0]}" cy="${head[1] - 14}" r="15" fill="none" stroke="#333"/>`);
    ['Left', 'Right'].forEach((side, s) => {
        const toe = find(new RegExp(side + 'Toe')), foot = find(new RegExp(side + 'Foot'));
        if (truth && Number(truth[f][1 + s])) {
            const p = spot(places[toe]);
            parts.push(`<circle cx="${p[0]}" cy="${p[1]}" r="4" fill="${tints[s]}"/>`);
        }
        if (truth && Number(truth[f][3 + s])) {
            const p = spot(places[foot]);
            parts.push(`<circle cx="${p[0]}" cy="${floor[view]}" r="3" fill="none" stroke="${tints[s]}"/>`);
        }
    });
    if (view === 0) {
        const label = (f * bvh.step).toFixed(2);
        parts.push(`<text x="${middle - 16}" y="${floor[0] + 14}" font-size="11">${label}</text>`);
    }
}
for (let k = 0; k < figures; k++) {
    const f = Math.round(begin + (end - begin) * k / Math.max(figures - 1, 1));
    draw(f, k, 0);
    draw(f, k, 1);
}

/// One curve over the stretch.
function plot(values, lo, hi, tint) {
    const points = values.map((v, i) => `${(40 + i * (width - 60) / values.length).toFixed(1)},`
        + `${(885 - 160 * (Math.min(Math.max(v, lo), hi) - lo) / (hi - lo)).toFixed(1)}`);
    parts.push(`<polyline fill="none" stroke="${tint}" points="${points.join(' ')}"/>`);
}
const between = (f, a, g, b) => poses[g].places[b].map((x, i) => x - poses[f].places[a][i]);
const range = Array.from({ length: end - begin + 1 }, (_, i) => begin + i);
['Left', 'Right'].forEach((side, s) => {
    const [hip, knee, ankle, toe] = ['UpLeg', 'Leg', 'Foot', 'Toe'].map((part) => find(new RegExp(`${side}${part}`)));
    if (knee < 0) {
        return;
    }
    const angle = (f) => {
        const u = between(f, hip, f, knee), v = between(f, knee, f, ankle);
        const dot = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
        return Math.acos(Math.min(1, dot / (Math.hypot(...u) * Math.hypot(...v)))) * 180 / Math.PI;
    };
    plot(range.map(angle), 0, 140, s ? '#22c' : '#c22');
    const speed = (f) => (f ? Math.hypot(...between(f - 1, toe, f, toe)) / bvh.step : 0);
    plot(range.map(speed), 0, 12, s ? '#aac' : '#caa');
});
plot(range.map((f) => poses[f].places[0][1]), 0.4, 1.4, '#080');
const legend = 'knees (red, blue; 0-140 deg), hip height (green; 0.4-1.4 m), toe speed (pale; 0-12 m/s)';
parts.push(`<text x="10" y="720" font-size="11">${legend}</text>`, '</svg>');
writeFileSync(output, parts.join('\n'));
