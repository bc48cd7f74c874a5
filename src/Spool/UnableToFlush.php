<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\HeadroomException;

/**
 * A bucket could not be flushed for a reason on this side of the sink. Its events stay in the buffer. The classes that
 * implement it differ in what you can do: try again later (Retryable), or change something first (Permanent).
 */
interface UnableToFlush extends HeadroomException {}
