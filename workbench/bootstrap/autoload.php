<?php

declare(strict_types=1);

$chosen = getenv('HEADROOM_AUTOLOAD');

// Another vendor directory runs the same application on another Laravel version.
require is_string($chosen) && $chosen !== '' ? $chosen : __DIR__.'/../../vendor/autoload.php';
