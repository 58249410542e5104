/**
 * A real browser for tests of the admin page: an installed Chromium, driven through its DevTools
 * protocol with what the JDK has.
 */
package io.outrigger.program.testing.browser;
