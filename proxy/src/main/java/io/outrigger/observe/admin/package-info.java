/**
 * The admin HTTP server and its page (CONTRACT section 6). The server has its own thread. Views are
 * built on the control loop and passed on as immutable values or text, so a slow reader delays no
 * other work.
 */
package io.outrigger.observe.admin;
