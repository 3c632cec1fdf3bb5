// Drawings on the ground: target, predicted trajectory, past track, planted feet.
import * as THREE from 'three';

const HISTORY = 40; // dots, one every twelfth of a second: 3.3 s
const POINTS = 16;
const TARGET = 0x2478c8;
const PREDICTED = 0xe4692c;

export function flat(geometry) {
    return geometry.rotateX(-Math.PI / 2);
}

export function paint(color, opacity) {
    return new THREE.MeshBasicMaterial({ color, transparent: opacity < 1, opacity, depthWrite: false, fog: false, toneMapped: false });
}

/** A flat ribbon along points of the ground. */
export class Ribbon {
    constructor(color, width, count, opacity) {
        this.width = width;
        this.count = count;
        this.geometry = new THREE.BufferGeometry();
        this.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(6 * count), 3));
        const index = [];
        for (let i = 0; i + 1 < count; i++) {
            index.push(2 * i, 2 * i + 2, 2 * i + 1, 2 * i + 1, 2 * i + 2, 2 * i + 3);
        }
        this.geometry.setIndex(index);
        this.mesh = new THREE.Mesh(this.geometry, paint(color, opacity));
        this.mesh.material.side = THREE.DoubleSide;
        this.mesh.frustumCulled = false;
    }

    /** @param points [{x, z}], at most `count` */
    set(points, y) {
        const position = this.geometry.attributes.position;
        points.forEach((point, i) => {
            const before = points[Math.max(i - 1, 0)];
            const after = points[Math.min(i + 1, points.length - 1)];
            const [dx, dz] = [after.x - before.x, after.z - before.z];
            const length = Math.hypot(dx, dz) || 1;
            const [nx, nz] = [(this.width * dz) / length / 2, (-this.width * dx) / length / 2];
            position.setXYZ(2 * i, point.x + nx, y, point.z + nz);
            position.setXYZ(2 * i + 1, point.x - nx, y, point.z - nz);
        });
        position.needsUpdate = true;
        this.geometry.setDrawRange(0, Math.max(0, 6 * (points.length - 1)));
    }
}

export class Overlay {
    constructor() {
        this.object = new THREE.Group();
        this.target = new Ribbon(TARGET, 0.07, 2, 0.45);
        this.desiredHead = new THREE.Mesh(flat(new THREE.CircleGeometry(0.12, 3)), paint(TARGET, 0.75));
        this.path = new Ribbon(PREDICTED, 0.03, POINTS + 1, 0.85);
        this.marks = Array.from({ length: POINTS }, () => this.mark());
        this.point = new THREE.Mesh(flat(new THREE.RingGeometry(0.2, 0.225, 48)), paint(0x24303f, 0.45));
        this.history = new THREE.InstancedMesh(flat(new THREE.CircleGeometry(0.028, 14)), paint(0x24303f, 0.5), HISTORY);
        this.history.frustumCulled = false;
        this.history.count = 0;
        this.feet = [0, 1].map(() => new THREE.Mesh(flat(new THREE.RingGeometry(0.07, 0.1, 32)), paint(0x1fa56b, 0.85)));
        this.past = [];
        this.object.add(this.target.mesh, this.desiredHead, this.path.mesh, this.point, this.history, ...this.marks, ...this.feet);
    }

    /** A disc with a nose: a predicted position and facing. */
    mark() {
        const group = new THREE.Group();
        const nose = new THREE.Mesh(flat(new THREE.PlaneGeometry(0.026, 0.16)), paint(PREDICTED, 0.95));
        nose.position.z = 0.11;
        group.add(new THREE.Mesh(flat(new THREE.CircleGeometry(0.05, 24)), paint(PREDICTED, 0.95)), nose);
        return group;
    }

    /** Forgets where the character was. */
    clear() {
        this.past.length = 0;
        this.history.count = 0;
    }

    /** Once per step: remembers the position. */
    remember(view) {
        if (view.steps % 5 === 0) {
            this.past.push({ x: view.rootX, z: view.rootZ });
            if (this.past.length > HISTORY) {
                this.past.shift();
            }
        }
    }

    /** Once per picture. @param toes world places of both toes, or null */
    update(view, toes) {
        const from = { x: view.simulationX, z: view.simulationZ };
        const speed = Math.hypot(view.desiredX, view.desiredZ);
        this.target.mesh.visible = this.desiredHead.visible = speed > 0.01;
        const to = { x: from.x + view.desiredX, z: from.z + view.desiredZ };
        this.target.set([from, to], 0.006);
        this.desiredHead.position.set(to.x, 0.007, to.z);
        // The triangle's tip lies along +x.
        this.desiredHead.rotation.y = Math.atan2(-view.desiredZ, view.desiredX);
        this.path.set([from, ...view.trajectory], 0.008);
        this.marks.forEach((mark, i) => {
            const point = view.trajectory[i];
            mark.visible = Boolean(point);
            if (point) {
                mark.position.set(point.x, 0.01, point.z);
                mark.rotation.y = Math.atan2(point.dx, point.dz);
            }
        });
        this.point.position.set(from.x, 0.005, from.z);
        this.updateHistory();
        this.feet.forEach((ring, i) => {
            ring.visible = Boolean(toes) && (view.contacts & (1 << i)) !== 0;
            if (ring.visible) {
                ring.position.set(toes[i].x, 0.012, toes[i].z);
                ring.material.color.set(view.locked & (1 << i) ? 0x1fa56b : 0x8fd3b4);
            }
        });
    }

    updateHistory() {
        const matrix = new THREE.Matrix4();
        this.past.forEach((place, i) => {
            const size = 0.35 + (0.65 * (i + 1)) / this.past.length;
            matrix.makeScale(size, 1, size).setPosition(place.x, 0.004, place.z);
            this.history.setMatrixAt(i, matrix);
        });
        this.history.count = this.past.length;
        this.history.instanceMatrix.needsUpdate = true;
    }
}
