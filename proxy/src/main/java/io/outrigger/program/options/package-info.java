/**
 * The options of the sidecar as plain records, and their parsers for flags, environment and YAML
 * file (CONTRACT section 2). Each class is immutable, or is used only by the main thread, before
 * any port is bound. A27 defines where a bootstrap is found, A47 the meaning of a target.
 */
package io.outrigger.program.options;
