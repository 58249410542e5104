/**
 * Makes a test class fail when a Netty buffer was leaked while it ran. Every module that has this
 * test jar on its class path takes part: JUnit finds the extension by itself, and the build names
 * the detector in the property {@code io.netty.customResourceLeakDetector}. The detector is called
 * on any thread; the check runs on JUnit's.
 */
package io.outrigger.testing.leak;
