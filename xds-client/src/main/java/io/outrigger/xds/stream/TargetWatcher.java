package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.overlay.Overlaid;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ResourceWatcher;

/** Passes on the value of a resource for one target, because overlay rules may differ by target. */
@ControlConfined
record TargetWatcher<T>(ResourceType<T> type, String target, ResourceWatcher<T> watcher)
    implements ResourceWatcher<T> {
  @Override
  public void onChanged(Outcome<T> resource) {
    if (resource instanceof Outcome.Ok<T> ok && ok.value() instanceof Overlaid overlaid) {
      watcher.onChanged(Outcome.ok(type.valueType().cast(overlaid.forTarget(target))));
    } else {
      watcher.onChanged(resource);
    }
  }

  @Override
  public void onAmbientError(RpcStatus status) {
    watcher.onAmbientError(status);
  }
}
