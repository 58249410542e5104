/**
 * What the sidecar was told to do, as plain records, and how text becomes them: flags, environment
 * and YAML file (outer contract, section 2). Everything here is immutable or used by the main
 * thread before anything is bound. A27 and A47 decide where a bootstrap is found and what a target
 * means.
 */
@NullMarked
package io.outrigger.program.options;

import org.jspecify.annotations.NullMarked;
