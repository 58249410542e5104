package io.outrigger.base;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Target;

/** Marks a type that only the {@link ControlLoop} may use; each entry point checks the thread. */
@Documented
@Target(ElementType.TYPE)
public @interface ControlConfined {}
