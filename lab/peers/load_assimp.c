// The peer of `amble bench load`: reads one path per line from stdin, imports that file with Assimp's C interface and
// prints the microseconds it took and a checksum of what it got.
#include <assimp/cimport.h>
#include <assimp/scene.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static uint64_t checksum(const struct aiScene *scene)
{
    uint64_t sum = 0;
    for (unsigned a = 0; a < scene->mNumAnimations; a++) {
        const struct aiAnimation *animation = scene->mAnimations[a];
        for (unsigned c = 0; c < animation->mNumChannels; c++) {
            const struct aiNodeAnim *channel = animation->mChannels[c];
            for (unsigned k = 0; k < channel->mNumRotationKeys; k++) {
                uint32_t bits;
                memcpy(&bits, &channel->mRotationKeys[k].mValue.w, sizeof bits);
                sum = sum * 31 + bits;
            }
        }
    }
    return sum;
}

int main(void)
{
    char path[4096];
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = '\0';
        double begun = now_us();
        const struct aiScene *scene = aiImportFile(path, 0);
        double us = now_us() - begun;
        if (scene) {
            printf("%.3f %llx\n", us, (unsigned long long)checksum(scene));
            aiReleaseImport(scene);
        } else {
            printf("error %s\n", aiGetErrorString());
        }
        fflush(stdout);
    }
    return 0;
}
