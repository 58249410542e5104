/**
 * Decodes protobuf resources to the records of the package {@code config} (A27, A28, A31, A32, A37,
 * A39, A46, A47, A50, A52, A61, A63, A75). Also reads and prints resources as JSON. The decoders
 * collect every field error with the path of its field. Each part of a resource, such as TLS or
 * retries, has its own decoder. The {@code Wire…} classes read and write messages without the
 * descriptors that protobuf would build. All functions are pure and may be called from any thread.
 */
package io.outrigger.xds.decode;
