<?php

declare(strict_types=1);

// Breaks lines of more than 120 characters: `php dev/wrap.php [--check] PATH...`.

use Headroom\Dev\Wrap\Command;

require dirname(__DIR__).'/vendor/autoload.php';

exit((new Command)->run(array_slice($argv, 1)));
