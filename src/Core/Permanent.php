<?php

declare(strict_types=1);

namespace Headroom\Core;

/**
 * The same call fails again however often it is made: somebody has to change something first.
 */
interface Permanent extends HeadroomException {}
