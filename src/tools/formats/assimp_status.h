/// How the Assimp helper reports to its parent what went wrong.
#ifndef AMI_IO_ASSIMP_STATUS_H
#define AMI_IO_ASSIMP_STATUS_H

/// The helper exits with this plus an am_result, its first line on stderr being the text. Other failures (1, 127, a
/// signal) are unexpected.
enum { AMI_ASSIMP_STATUS = 64 };

#endif
