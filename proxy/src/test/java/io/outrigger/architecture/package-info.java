/**
 * Holds the line between the packages: who may know whom, and what may be used where. These tests
 * look at classes and sources, run no code of the product and live in the one module that sees all
 * others. They enforce the architecture, not a gRFC: ARCHITECTURE.md has the picture.
 */
package io.outrigger.architecture;
