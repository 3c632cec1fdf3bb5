// The plain view: a bone for each joint and its tips, drawn as slim octahedra over everything else.
import * as THREE from 'three';

export class Skeleton {
    constructor(about) {
        this.object = new THREE.Group();
        this.groups = about.joints.map(() => new THREE.Group());
        this.object.add(...this.groups);
        this.material = new THREE.MeshStandardMaterial({ color: 0x2478c8, roughness: 0.5, flatShading: true });
        this.ball = new THREE.MeshStandardMaterial({ color: 0xe4692c, roughness: 0.5 });
        about.joints.forEach((joint, j) => {
            this.dot(this.groups[j]);
            if (joint.parent >= 0) {
                this.bone(this.groups[joint.parent], new THREE.Vector3(...joint.offset));
            }
        });
        about.ends.forEach((end) => this.bone(this.groups[end.joint], new THREE.Vector3(...end.offset)));
    }

    dot(group) {
        const mesh = new THREE.Mesh(new THREE.SphereGeometry(0.016, 10, 8), this.ball);
        mesh.castShadow = true;
        group.add(mesh);
    }

    bone(group, way) {
        const length = way.length();
        if (length < 1e-3) {
            return;
        }
        const mesh = new THREE.Mesh(new THREE.OctahedronGeometry(1), this.material);
        mesh.scale.set(Math.min(0.1 * length, 0.03), length / 2, Math.min(0.1 * length, 0.03));
        mesh.position.copy(way).multiplyScalar(0.5);
        mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), way.clone().normalize());
        mesh.castShadow = true;
        group.add(mesh);
    }

    update(world) {
        this.groups.forEach((group, j) => {
            const i = 7 * j;
            group.quaternion.set(world[i], world[i + 1], world[i + 2], world[i + 3]);
            group.position.set(world[i + 4], world[i + 5], world[i + 6]);
        });
    }

    dispose() {
        this.object.traverse((item) => item.geometry?.dispose());
        this.material.dispose();
        this.ball.dispose();
        this.object.removeFromParent();
    }
}
