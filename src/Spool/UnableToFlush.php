<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\HeadroomException;

/**
 * A bucket could not be flushed. Its events stay in the buffer. The classes differ in what you can do: try again later
 * (Retryable), or change something first (Permanent).
 */
interface UnableToFlush extends HeadroomException {}
