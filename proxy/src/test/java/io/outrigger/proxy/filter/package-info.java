@NullMarked
package io.outrigger.proxy.filter;

import org.jspecify.annotations.NullMarked;
