/**
 * The interface of the xDS client for the rest of the program (A57, A88). All code runs on the
 * control loop.
 */
package io.outrigger.xds;
