// A body for any skeleton: rounded limbs whose girths follow human proportions by role, so that every rig has a figure
// at once. Joints that have no role get plain rounded bones.
import * as THREE from 'three';

const COLOURS = { skin: 0xf3e9dc, shirt: 0xe0662b, trousers: 0x2d3b4e, shoes: 0x1c2530, dark: 0x2d3b4e };

// Half widths as shares of the body's height: what figure drawing gives for a slim adult.
const GIRTH = {
    up_leg: [0.05, 0.034, 0.07], leg: [0.036, 0.021, 0.22], arm: [0.027, 0.0215, 0.08], forearm: [0.0235, 0.0155, 0.16],
    shoulder: [0.026, 0.03, 0],
};
// Half width and half depth of the trunk from the hips (0) to the line of the shoulders (1).
const TRUNK = [[0, 0.086, 0.06], [0.3, 0.075, 0.053], [0.62, 0.09, 0.062], [0.86, 0.1, 0.058], [1, 0.072, 0.04]];
const SEGMENTS = 20;

/** A limb along +y from 0 to length: round ends of radius a and b, a belly of share `bulge` in its upper third. */
function limbGeometry(a, b, length, bulge) {
    const points = [];
    const caps = 7;
    for (let i = 0; i <= caps; i++) {
        const angle = (Math.PI / 2) * (i / caps - 1);
        points.push(new THREE.Vector2(Math.max(a * Math.cos(angle), 1e-5), a * Math.sin(angle)));
    }
    for (let i = 1; i < 12; i++) {
        const t = i / 12;
        const belly = 1 + bulge * Math.sin(Math.PI * Math.pow(t, 0.7)) * (1 - 0.4 * t);
        points.push(new THREE.Vector2((a + (b - a) * t) * belly, length * t));
    }
    for (let i = 0; i <= caps; i++) {
        const angle = (Math.PI / 2) * (i / caps);
        points.push(new THREE.Vector2(Math.max(b * Math.cos(angle), 1e-5), length + b * Math.sin(angle)));
    }
    return new THREE.LatheGeometry(points, SEGMENTS);
}

/** A rounded block: an ellipsoid whose sides are pushed out by `square` (2 is an ellipsoid, 4 nearly a box). */
function blockGeometry(x, y, z, square) {
    const geometry = new THREE.SphereGeometry(1, 28, 20);
    const position = geometry.attributes.position;
    for (let i = 0; i < position.count; i++) {
        const p = new THREE.Vector3().fromBufferAttribute(position, i);
        const sum = Math.pow(Math.abs(p.x), square) + Math.pow(Math.abs(p.y), square) + Math.pow(Math.abs(p.z), square);
        p.multiplyScalar(Math.pow(sum, -1 / square));
        position.setXYZ(i, p.x * x, p.y * y, p.z * z);
    }
    geometry.computeVertexNormals();
    return geometry;
}

/** Half width and half depth of the trunk at a share of its height. */
function girth(t) {
    const inside = Math.min(Math.max(t, 0), 1);
    const next = Math.max(1, TRUNK.findIndex(([at]) => at >= inside));
    const [a, b] = [TRUNK[next - 1], TRUNK[next]];
    let s = (inside - a[0]) / (b[0] - a[0]);
    s = s * s * (3 - 2 * s);
    return [a[1] + (b[1] - a[1]) * s, a[2] + (b[2] - a[2]) * s];
}

/** The point at height y on a line through ascending points; vertical beyond its ends. */
function along(places, y) {
    const next = Math.max(1, places.findIndex((place) => place.y >= y));
    const [a, b] = y > places.at(-1).y ? places.slice(-2) : [places[next - 1], places[next]];
    const share = Math.min(Math.max((y - a.y) / Math.max(b.y - a.y, 1e-6), 0), 1);
    return a.clone().lerp(b, share).setY(y);
}

/** [i, share]: y lies between the heights i and i + 1, that much nearer to the second, smoothly. */
function blend(heights, y) {
    const above = heights.findIndex((height) => height > y);
    if (above <= 0) {
        return [above === 0 ? 0 : heights.length - 1, 0];
    }
    const s = (y - heights[above - 1]) / Math.max(heights[above] - heights[above - 1], 1e-6);
    return [above - 1, s * s * (3 - 2 * s)];
}

/** The first and last vertex of a ring coincide: they share a normal. */
function closeSeam(geometry, perRing) {
    const normal = geometry.attributes.normal;
    for (let i = 0; i < normal.count; i += perRing) {
        const n = new THREE.Vector3().fromBufferAttribute(normal, i).add(new THREE.Vector3().fromBufferAttribute(normal, i + perRing - 1)).normalize();
        normal.setXYZ(i, n.x, n.y, n.z);
        normal.setXYZ(i + perRing - 1, n.x, n.y, n.z);
    }
}

/** World transforms of the rest pose. */
function restPose(joints) {
    const pose = [];
    for (const joint of joints) {
        const local = new THREE.Matrix4().compose(new THREE.Vector3(...joint.offset), new THREE.Quaternion(...joint.rest),
            new THREE.Vector3(1, 1, 1));
        pose.push(joint.parent < 0 ? local : pose[joint.parent].clone().multiply(local));
    }
    return pose;
}

/** World transforms from a step's numbers. */
function matrices(world) {
    const pose = [];
    for (let i = 0; i < world.length; i += 7) {
        pose.push(new THREE.Matrix4().compose(new THREE.Vector3(world[i + 4], world[i + 5], world[i + 6]),
            new THREE.Quaternion(world[i], world[i + 1], world[i + 2], world[i + 3]), new THREE.Vector3(1, 1, 1)));
    }
    return pose;
}

const placeOf = (matrix) => new THREE.Vector3().setFromMatrixPosition(matrix);

export class Figure {
    /** @param about the engine's description of the database; @param standing world transforms of a standing frame */
    constructor(about, standing) {
        this.about = about;
        this.roles = about.roles;
        this.object = new THREE.Group();
        this.groups = about.joints.map(() => new THREE.Group());
        this.object.add(...this.groups);
        this.materials = Object.fromEntries(Object.entries(COLOURS).map(([name, color]) => [name,
            new THREE.MeshStandardMaterial({ color, roughness: name === 'skin' ? 0.62 : 0.78, metalness: 0 })]));
        this.children = about.joints.map((_, j) => about.joints.flatMap((child, k) => (child.parent === j ? [k] : [])));
        this.choosePose(standing);
        this.build();
    }

    /** The pose that defines a joint's front: the rest pose if it is upright, otherwise a standing one. */
    choosePose(standing) {
        const { hips, head, left_foot: foot } = this.roles;
        const rest = restPose(this.about.joints);
        const height = (j) => placeOf(rest[j]).y - placeOf(rest[hips]).y;
        const upright = hips !== undefined && head !== undefined && foot !== undefined && height(head) > 0.2 && height(foot) < -0.4;
        this.pose = upright ? rest : matrices(standing);
        const tops = this.pose.map((matrix) => placeOf(matrix).y);
        const lows = Math.min(...tops);
        const headTop = head === undefined ? Math.max(...tops) : placeOf(this.pose[head]).y;
        this.height = Math.max(0.3, (headTop - lows) * 1.09);
        this.front = new THREE.Vector3(0, 0, 1);
        const { left_up_leg: left, right_up_leg: right } = this.roles;
        if (left !== undefined && right !== undefined) {
            const side = placeOf(this.pose[left]).sub(placeOf(this.pose[right])).setY(0).normalize();
            this.front = side.cross(new THREE.Vector3(0, 1, 0));
        }
    }

    /** A direction of the chosen pose in a joint's own axes. */
    inJoint(joint, direction) {
        const rotation = new THREE.Quaternion().setFromRotationMatrix(this.pose[joint]).invert();
        return direction.clone().applyQuaternion(rotation);
    }

    /** Adds a mesh to a joint: its +y along `along`, its +z as close as possible to the body's front. */
    add(joint, geometry, material, along, at = new THREE.Vector3()) {
        const mesh = new THREE.Mesh(geometry, this.materials[material]);
        const y = along.clone().normalize();
        let z = this.inJoint(joint, this.front);
        z.addScaledVector(y, -z.dot(y));
        if (z.lengthSq() < 1e-4) {
            z = this.inJoint(joint, new THREE.Vector3(0, 1, 0));
            z.addScaledVector(y, -z.dot(y));
        }
        z.normalize();
        mesh.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(y.clone().cross(z), y, z));
        mesh.position.copy(at);
        mesh.castShadow = true;
        this.groups[joint].add(mesh);
        return mesh;
    }

    /** The offset from one joint to another, in the first one's axes. */
    reach(from, to) {
        return placeOf(this.pose[to]).applyMatrix4(this.pose[from].clone().invert());
    }

    limb(from, to, [a, b, bulge], material) {
        const way = this.reach(from, to);
        const h = this.height;
        this.add(from, limbGeometry(a * h, b * h, way.length(), bulge), material, way);
        this.dressed.add(to);
    }

    build() {
        this.dressed = new Set([0]); // joints whose bone from the parent is already there
        this.hidden = new Set();
        const r = this.roles;
        for (const side of ['left', 'right']) {
            const at = (name) => r[`${side}_${name}`];
            const pairs = [['up_leg', 'leg', 'trousers'], ['leg', 'foot', 'skin'], ['arm', 'forearm', 'shirt'], ['forearm', 'hand', 'skin']];
            for (const [from, to, material] of pairs) {
                if (at(from) !== undefined && at(to) !== undefined) {
                    this.limb(at(from), at(to), GIRTH[from], material);
                }
            }
            if (at('foot') !== undefined) {
                this.foot(at('foot'), at('toe'));
            }
            if (at('hand') !== undefined) {
                this.hand(at('hand'), at('forearm'));
            }
            this.shoulder(at('shoulder'), at('arm'));
        }
        this.trunk();
        this.head();
        this.rest();
    }

    /** Hides bones between a joint and one below it: something better covers them. */
    cover(from, to) {
        for (let j = to; j !== undefined && j > from; j = this.about.joints[j].parent) {
            this.dressed.add(j);
        }
    }

    shoulder(clavicle, arm) {
        if (arm === undefined) {
            return;
        }
        const h = this.height;
        this.add(arm, blockGeometry(0.033 * h, 0.033 * h, 0.033 * h, 2), 'shirt', new THREE.Vector3(0, 1, 0));
        if (clavicle !== undefined) {
            this.limb(clavicle, arm, GIRTH.shoulder, 'shirt');
            this.dressed.add(clavicle);
        }
    }

    foot(ankle, toe) {
        const h = this.height;
        const up = this.inJoint(ankle, new THREE.Vector3(0, 1, 0));
        const way = toe === undefined ? this.inJoint(ankle, this.front).multiplyScalar(0.075 * h).addScaledVector(up, -0.035 * h) : this.reach(ankle, toe);
        const flat = way.clone().addScaledVector(up, -way.dot(up));
        const drop = way.dot(up);
        const ahead = flat.clone().normalize();
        // The shoe: one block from behind the heel to the ball, another beyond the toe joint.
        const length = flat.length() + 0.045 * h;
        const sole = ahead.clone().multiplyScalar(flat.length() / 2 - 0.016 * h).addScaledVector(up, drop * 0.62);
        this.add(ankle, blockGeometry(0.0245 * h, length / 2, 0.021 * h, 2.6), 'shoes', ahead, sole);
        this.add(ankle, limbGeometry(0.021 * h, 0.023 * h, Math.abs(drop) * 0.55, 0), 'shoes', up.clone().negate());
        if (toe !== undefined) {
            const forward = this.inJoint(toe, ahead.clone().transformDirection(this.pose[ankle]));
            this.add(toe, blockGeometry(0.0245 * h, 0.032 * h, 0.0145 * h, 2.6), 'shoes', forward, forward.clone().multiplyScalar(0.014 * h));
            this.cover(ankle, toe);
            this.hide(toe);
        }
    }

    /** Everything below a joint gets no bones. */
    hide(joint) {
        for (const child of this.children[joint]) {
            this.dressed.add(child);
            this.hide(child);
        }
        this.hidden.add(joint);
    }

    hand(hand, forearm) {
        const h = this.height;
        const way = forearm === undefined ? this.inJoint(hand, new THREE.Vector3(0, -1, 0)) : this.reach(hand, forearm).negate();
        way.normalize();
        this.add(hand, blockGeometry(0.0125 * h, 0.048 * h, 0.024 * h, 2.4), 'skin', way, way.clone().multiplyScalar(0.043 * h));
        this.hide(hand);
    }

    /** Height of the shoulders in the chosen pose; of the neck where there are no arms. */
    shoulderHeight() {
        const arms = [this.roles.left_arm, this.roles.right_arm].filter((j) => j !== undefined);
        const heights = arms.map((j) => placeOf(this.pose[j]).y);
        const neck = this.roles.neck ?? this.roles.chest ?? this.roles.head;
        return heights.length > 0 ? Math.max(...heights) : placeOf(this.pose[neck]).y;
    }

    /** Pelvis, waist and chest along the joints of the spine, wide across and flat from front to back. */
    trunk() {
        const r = this.roles;
        const h = this.height;
        const top = r.chest ?? r.neck ?? r.head;
        if (r.hips === undefined || top === undefined) {
            return;
        }
        const up = new THREE.Vector3(0, 1, 0);
        this.add(r.hips, blockGeometry(0.092 * h, 0.058 * h, 0.064 * h, 2.4), 'trousers', this.inJoint(r.hips, up),
            this.inJoint(r.hips, up).multiplyScalar(-0.014 * h));
        const chain = [];
        for (let j = top; j > r.hips; j = this.about.joints[j].parent) {
            chain.unshift(j);
        }
        chain.unshift(r.hips);
        chain.forEach((joint) => this.dressed.add(joint));
        this.shirt(chain);
        for (const name of ['neck', 'left_up_leg', 'right_up_leg', 'left_shoulder', 'right_shoulder', 'left_arm', 'right_arm']) {
            if (r[name] !== undefined) {
                this.cover(r.hips, r[name]);
            }
        }
    }

    /** The spine in the chosen pose: the joints' places, then the line of the shoulders above the last one. */
    spine(chain) {
        const places = chain.map((joint) => placeOf(this.pose[joint]));
        const last = places.at(-1);
        const top = Math.max(this.shoulderHeight() - 0.02 * this.height, last.y + 0.02 * this.height);
        return [...places, new THREE.Vector3(last.x, top, last.z)];
    }

    /** One skin from the hips to the shoulders. Every ring follows the two nearest pieces of the spine, more the one
     * whose middle is nearer: so a bend is spread over their whole length and nothing creases. */
    shirt(chain) {
        const h = this.height;
        const places = this.spine(chain);
        const low = places[0].y;
        const span = Math.max(places.at(-1).y - low, 0.05);
        const middles = chain.map((_, i) => (places[i].y + places[i + 1].y) / 2);
        const side = new THREE.Vector3(0, 1, 0).cross(this.front);
        const over = 0.045 * h; // into the pelvis and the shoulders
        const across = 32;
        const rings = 36;
        const [position, uses, weights, index] = [[], [], [], []];
        for (let r = 0; r <= rings; r++) {
            const y = low - over + ((span + 2 * over) * r) / rings;
            const edge = Math.max(0, low - y, y - low - span) / over;
            const round = Math.sqrt(Math.max(0, 1 - Math.pow(edge, 5) * 0.97));
            const [x, z] = girth((y - low) / span).map((half) => half * h * round);
            const centre = along(places, y);
            const [lower, share] = blend(middles, y);
            for (let k = 0; k <= across; k++) {
                const angle = (2 * Math.PI * k) / across;
                const p = centre.clone().addScaledVector(side, x * Math.sin(angle)).addScaledVector(this.front, z * Math.cos(angle));
                position.push(p.x, p.y, p.z);
                uses.push(lower, Math.min(lower + 1, chain.length - 1), 0, 0);
                weights.push(1 - share, share, 0, 0);
                if (r < rings && k < across) {
                    const at = r * (across + 1) + k;
                    index.push(at, at + 1, at + across + 1, at + 1, at + across + 2, at + across + 1);
                }
            }
        }
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
        geometry.setAttribute('skinIndex', new THREE.Uint16BufferAttribute(uses, 4));
        geometry.setAttribute('skinWeight', new THREE.Float32BufferAttribute(weights, 4));
        geometry.setIndex(index);
        geometry.computeVertexNormals();
        closeSeam(geometry, across + 1);
        const mesh = new THREE.SkinnedMesh(geometry, this.materials.shirt);
        this.skeleton = new THREE.Skeleton(chain.map((joint) => this.groups[joint]), chain.map((joint) => this.pose[joint].clone().invert()));
        mesh.bind(this.skeleton, new THREE.Matrix4());
        mesh.frustumCulled = false; // its bounds are those of the pose it was made in
        mesh.castShadow = true;
        this.object.add(mesh);
    }

    head() {
        const { head, neck } = this.roles;
        if (head === undefined) {
            return;
        }
        const h = this.height;
        const up = this.inJoint(head, new THREE.Vector3(0, 1, 0));
        const front = this.inJoint(head, this.front);
        const centre = up.clone().multiplyScalar(0.05 * h).addScaledVector(front, 0.016 * h);
        this.add(head, blockGeometry(0.0445 * h, 0.066 * h, 0.054 * h, 2.15), 'skin', up, centre);
        // Hair and a nose, so that the facing is visible from afar.
        this.add(head, blockGeometry(0.0465 * h, 0.05 * h, 0.0525 * h, 2.2), 'dark', up,
            centre.clone().addScaledVector(up, 0.0215 * h).addScaledVector(front, -0.0085 * h));
        this.add(head, blockGeometry(0.008 * h, 0.014 * h, 0.012 * h, 2), 'skin', up,
            centre.clone().addScaledVector(front, 0.053 * h).addScaledVector(up, -0.012 * h));
        if (neck !== undefined) {
            const way = this.reach(neck, head);
            const hidden = Math.max(0, this.shoulderHeight() - placeOf(this.pose[neck]).y - 0.01 * h);
            const start = way.clone().multiplyScalar(Math.min(0.8, hidden / way.length()));
            this.add(neck, limbGeometry(0.029 * h, 0.024 * h, 0.9 * (way.length() - start.length()), 0), 'skin', way, start);
            this.cover(neck, head);
        }
        this.hide(head);
    }

    /** Adds bones that nothing above has covered. */
    rest() {
        this.about.joints.forEach((joint, j) => {
            if (this.dressed.has(j) || joint.parent < 0) {
                return;
            }
            const way = new THREE.Vector3(...joint.offset);
            const radius = Math.min(0.2 * way.length(), 0.02 * this.height);
            if (way.length() > 0.01 * this.height) {
                this.add(joint.parent, limbGeometry(radius, radius * 0.8, way.length(), 0), 'skin', way);
            }
        });
    }

    /** Puts the body into a pose: [joint][7]. */
    update(world) {
        this.groups.forEach((group, j) => {
            const i = 7 * j;
            group.quaternion.set(world[i], world[i + 1], world[i + 2], world[i + 3]);
            group.position.set(world[i + 4], world[i + 5], world[i + 6]);
        });
    }

    dispose() {
        this.object.traverse((item) => item.geometry?.dispose());
        this.skeleton?.dispose();
        Object.values(this.materials).forEach((material) => material.dispose());
        this.object.removeFromParent();
    }
}
