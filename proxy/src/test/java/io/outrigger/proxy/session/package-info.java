/** Tests of session cookies; without sockets. */
@NullMarked
package io.outrigger.proxy.session;

import org.jspecify.annotations.NullMarked;
