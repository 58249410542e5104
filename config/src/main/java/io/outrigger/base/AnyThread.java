package io.outrigger.base;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Target;

/** The type is immutable or made of atomics: any thread may use it. */
@Documented
@Target(ElementType.TYPE)
public @interface AnyThread {}
