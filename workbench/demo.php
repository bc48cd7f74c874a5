<?php

declare(strict_types=1);

/*
 * `make demo`: the workbench under load, its synchronous endpoint against its buffered one, every event accounted for.
 * SQLite with Laravel's default settings and the file buffer: there is no server to install.
 */

use Workbench\Rig\Demo;

$autoload = dirname(__DIR__).'/vendor/autoload.php';

if (! is_file($autoload)) {
    fwrite(STDERR, "The dependencies are not installed. Run `make demo`, or `composer install` first.\n");
    exit(2);
}

require $autoload;

exit((new Demo)->run());
