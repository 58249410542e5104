package io.outrigger.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the rows of CONFORMANCE.md that a test proves, on the method or on the class. {@code
 * scripts/conformance} reads it from the sources.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Conformance {
  /** Row ids such as {@code "A50-17"}. */
  String[] value();
}
