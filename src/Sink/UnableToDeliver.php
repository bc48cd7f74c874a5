<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\HeadroomException;
use Throwable;

/**
 * A delivery failed. Each implementation is also Retryable or Permanent, and the flusher acts by that type.
 */
interface UnableToDeliver extends HeadroomException, Throwable {}
