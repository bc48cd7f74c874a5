<?php

declare(strict_types=1);

namespace Headroom\Core;

use Throwable;

/**
 * Everything this package throws on purpose. Messages say what happened, the value seen, the limit and the next step.
 */
interface HeadroomException extends Throwable {}
