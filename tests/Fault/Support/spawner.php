<?php

declare(strict_types=1);

use Headroom\Tests\Fault\Support\Forks;

/*
 * A warm process that forks the processes of a fault test: Spawner talks to it.
 */
require __DIR__.'/autoload.php';

(new Forks)->serve();
