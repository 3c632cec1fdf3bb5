/// The .amnet file in C; docs/networks.md describes it too. The container is that of a database (base/container.h);
/// the sections are these, in this order:
///   info  counts and hashes
///   part  [part] am_model_part
///   valu  am_net_value of all parts, one part after another
///   oper  am_net_op, the same
///   tens  am_net_tensor, the same; `offset` counts bytes from the start of "weig" and is a multiple of 64
///   weig  the tensors. Vectors: fp32, filled with zeros to a multiple of 16. Matrices: panels of 16 rows
///         (kernel/layers.h) in fp32, fp16 or int8; int8 followed by one fp32 scale for each row.
///   reci  text of the recipe, terminated
///   prov  provenance, JSON text, terminated
///   attn  [attachment] am_model_attachment; only where there are attachments, as is the next
///   attb  the attachments' bytes, each at a multiple of 64
#ifndef AMI_NET_FORMAT_H
#define AMI_NET_FORMAT_H

#include <amble/net.h>
#include <amble/tools/files.h>
#include <amble/tools/network.h>

#include "base/container.h"
#include "kernel/layers.h"

#define AMI_NET_VERSION 1u

extern const ami_container_kind ami_net_file_kind;

typedef enum ami_net_section {
    AMI_NET_INFO,
    AMI_NET_PARTS,
    AMI_NET_VALUES,
    AMI_NET_OPS,
    AMI_NET_TENSORS,
    AMI_NET_BODY,
    AMI_NET_RECIPE,
    AMI_NET_PROVENANCE,
    AMI_NET_ATTACHED,
    AMI_NET_ATTACHED_BODY,
    AMI_NET_SECTIONS
} ami_net_section;

/// Four letters of a section.
const char *ami_net_letters(int section);

/// Section "info", 128 bytes.
typedef struct ami_net_info {
    int32_t part_count, value_count, op_count, tensor_count;
    uint64_t data_hash, database_hash, skeleton_hash, seed, latent_key;
    uint8_t reserved[72];
} ami_net_info;

struct am_model_own {
    am_alloc alloc;
    am_file file; ///< mapped
    void *image;  ///< allocated
    size_t image_size;
    const am_net_value *values; ///< in the image
    const am_net_op *ops;
    const am_net_tensor *tensors;
    const uint8_t *body;
    const uint8_t *attached; ///< NULL without attachments
};

/// Bytes of one tensor in "weig".
uint64_t ami_net_stored_size(const am_net_tensor *tensor, am_net_weights weights);
/// The matrix of a stored tensor; its bias is `bias`.
ami_matrix ami_net_matrix(const am_model *model, const am_model_part *part, const am_net_tensor *tensor,
                          const float *bias);
/// Makes the am_model over an image. Takes over `own`'s file or image on success.
am_result ami_model_view(am_model **out, const void *data, size_t size, const char *file,
                         const struct am_model_own *own, am_error *err);

/// attach.c: refuses blobs without a name, of the same name, empty or too many.
am_result ami_attach_check(const am_model_blob *blobs, int count, am_error *err);
/// attach.c: records(count) for these blobs; returns the bytes of their bodies.
uint64_t ami_attach_place(am_model_attachment *records, const am_model_blob *blobs, int count);
/// attach.c: copies them to where their records say.
void ami_attach_put(uint8_t *body, const am_model_attachment *records, const am_model_blob *blobs, int count);
/// attach.c: what is wrong with records(count) of a file, given the size of its bodies, or NULL.
const char *ami_attach_wrong(const am_model_attachment *records, int count, uint64_t body_size);
/// model.c: checksums of all sections of table, then header and table.
void ami_model_seal(uint8_t *image, uint64_t size, ami_section *table);

/// IEEE half precision, rounded to nearest even; |x| <= 65504.
uint16_t ami_half_from(float x);
float ami_half_to(uint16_t h);

#endif
