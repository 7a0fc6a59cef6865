// The parameters of kernels in several dispatches: a word, the number of the first workgroup, the
// workgroups in the first dimension, another word; then those of the kernel. The constants before
// are generated from the tables of star-shaders.

@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;

// Returns the number of a workgroup among those of all dispatches.
fn number_of(group: vec3<u32>) -> u32 { return given[0].y + group.y * given[0].z + group.x; }

